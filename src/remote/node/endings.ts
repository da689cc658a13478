/**
 * The hostings of a node that end, until that is written.
 *
 * Invariant: an engine that is slow is waited for as long as it writes one end within a lease, in which each is tried three times;
 * one that is away is not.
 *
 * @module
 */
import type { Clock } from '../../core/foundation/clock.ts';
import { waitAtMost } from '../../core/combinators/wait-at-most.ts';
import type { EndedRun } from './hosted-run.ts';

/** What they are waited for with. */
export interface EndingsParts {
  readonly clock: Clock;
  readonly leaseMs: number;
  /** Milliseconds after which an engine that cannot write it is waited for no longer. */
  readonly confirmMs: number;
  readonly isUnable: () => boolean;
  /** One is over. */
  readonly changed: () => void;
}

/** The hostings that end. */
export class Endings {
  readonly #parts: EndingsParts;
  readonly #all = new Set<Promise<void>>();
  /** When the last one was written. */
  #writtenAt = -Infinity;

  constructor(parts: EndingsParts) {
    this.#parts = parts;
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
        this.#parts.changed();
      });
    this.#all.add(over);
    return ending.then(({ isWritten }) => {
      this.#writtenAt = this.#parts.clock.now();
      return isWritten;
    });
  }

  /** Resolves when all are over. */
  async allOver(): Promise<void> {
    await Promise.all(this.#all);
  }

  /** Whether an end is written; `false` where nobody can say. */
  async isWritten(written: Promise<boolean>): Promise<boolean> {
    const { clock, leaseMs, confirmMs, isUnable } = this.#parts;
    const from = clock.now();
    for (;;) {
      const isWritten = await waitAtMost(clock, confirmMs, written);
      if (isWritten !== undefined) return isWritten;
      if (isUnable() || clock.now() - Math.max(from, this.#writtenAt) >= leaseMs) return false;
    }
  }
}
