/**
 * The hostings of a node that end, until that is written, and their stops are over.
 *
 * @module
 */
import type { EndedRun } from './hosted-run.ts';

/** The hostings that end. */
export class Endings {
  readonly #all = new Set<Promise<void>>();
  readonly #changed: () => void;

  /** @param changed Called when one is over. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get size(): number {
    return this.#all.size;
  }

  /** Keeps an end until it is over; the promise says whether it was written. */
  add(ending: Promise<EndedRun>): Promise<boolean> {
    const over = ending
      .then((ended) => ended.over)
      .finally(() => {
        this.#all.delete(over);
        this.#changed();
      });
    this.#all.add(over);
    return ending.then(({ isWritten }) => isWritten);
  }

  /** Resolves when all are over. */
  async allOver(): Promise<void> {
    await Promise.all(this.#all);
  }
}
