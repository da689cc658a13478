/**
 * Deals with many of a kind in their order, in portions: what else the process does comes between one and the next.
 *
 * @module
 */
import type { Clock } from '../foundation/clock.ts';

/** How many are dealt with in one turn of the event loop. */
const PORTION = 100;

/** Who waits for a turn of the event loop. */
export class Portions {
  readonly #clock: Clock;
  #left = PORTION;
  #waiting: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does it at once where this portion has room for it, and else in a later turn; it must not throw. */
  add(act: () => void): void {
    if (this.#left > 0) {
      this.#left--;
      act();
    } else if (this.#waiting.push(act) === 1) this.#wait();
  }

  /** Resolves when all are done that were added before. */
  passed(): Promise<void> {
    return new Promise((resolve) => this.add(resolve));
  }

  #wait(): void {
    const next = (): void => {
      for (const act of this.#waiting.slice(0, PORTION)) act();
      this.#waiting = this.#waiting.slice(PORTION);
      if (this.#waiting.length > 0) this.#wait();
      else this.#left = PORTION;
    };
    this.#clock.setTimer(next, 0, { ref: true });
  }
}
