/**
 * When a node writes what became of stops: once it has told those that came with them. It does one thing at a time, so what is written
 * first makes the rest late.
 *
 * Invariants: whoever waits does so for one turn of the event loop where one stop comes alone, and for some turns however many come;
 * one timer for all. Prior art: interrupt coalescing of network cards.
 *
 * @module
 */
import type { Clock } from '../../../core/foundation/clock.ts';

/** How many turns in a row may tell stops before something is written. */
const MOST_TURNS = 8;

/** The pauses of one node. */
export class Lull {
  readonly #clock: Clock;
  #coming: Promise<void> | undefined;
  #hasTold = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A stop is told: whatever is written from here on waits for those that come with it. */
  told(): void {
    if (this.#coming === undefined) void this.comes();
    else this.#hasTold = true;
  }

  /** Resolves in a turn of its own that has told nothing. */
  comes(): Promise<void> {
    return (this.#coming ??= new Promise((resolve) => this.#wait(MOST_TURNS, resolve)));
  }

  /** Resolves with the lull that is to come; at once where none is. */
  async passed(): Promise<void> {
    await this.#coming;
  }

  #wait(turns: number, resolve: () => void): void {
    this.#hasTold = false;
    const over = (): void => {
      this.#coming = undefined;
      resolve();
    };
    const turn = (): void => (this.#hasTold && turns > 1 ? this.#wait(turns - 1, resolve) : over());
    this.#clock.setTimer(turn, 0, { ref: false });
  }
}
