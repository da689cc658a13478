/**
 * Holds the process open for a person. The stream of the keyboard cannot: nobody may read it in the background, an answer can come by
 * another way, and the end of a limit by none.
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

/** Holds it open while that is wanted. */
export class KeepAlive {
  #held: Releasable | undefined;

  want(isWanted: boolean, clock: Clock): void {
    if (!isWanted) this.#held?.release();
    this.#held = isWanted ? (this.#held ?? keepAlive(clock)) : undefined;
  }
}
