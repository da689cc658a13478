/**
 * Holds the process open for a person: nothing else may, for an answer can come by another way than the keyboard, and the end of
 * a limit by none.
 *
 * @module
 */
import type { Clock, Releasable } from '../../../../core/inside.ts';

/** No timer is longer. */
const LONGEST_MS = 2 ** 31 - 1;

/** Holds it open until it is released. */
export function keepAlive(clock: Clock): Releasable {
  let timer: Releasable;
  const wait = (): void => {
    timer = clock.setTimer(wait, LONGEST_MS, { ref: true });
  };
  wait();
  return { release: () => timer.release() };
}
