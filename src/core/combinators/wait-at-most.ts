/**
 * Waits for a promise as long as somebody has time for it.
 *
 * @module
 */
import type { Clock } from '../foundation/clock.ts';

/** A promise's value, or `undefined` when time is up. */
export function waitAtMost<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T | undefined> {
  if (ms === Infinity) return promise;
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(() => resolve(undefined), ms, { ref: true });
    const over =
      <A>(end: (outcome: A) => void) =>
      (outcome: A): void => {
        timer.release();
        end(outcome);
      };
    promise.then(over(resolve), over(reject));
  });
}
