/**
 * Times in which silence of the model is expected: a tool runs, or a person is asked.
 * In the interrupt room below the turn, which has one; every model call with an idle limit watches under it.
 *
 * @module
 */
import type { IdleWatch } from '../combinators/idle.ts';

/** Pauses every watch of a turn together. */
export class IdlePauses {
  readonly #watches = new Set<IdleWatch>();
  #count = 0;

  /** A watch begins; returns its end. */
  add(watch: IdleWatch): () => void {
    this.#watches.add(watch);
    if (this.#count > 0) watch.pause();
    return () => {
      this.#watches.delete(watch);
      watch.release();
    };
  }

  pause(): void {
    if (this.#count++ === 0) for (const watch of this.#watches) watch.pause();
  }

  resume(): void {
    if (--this.#count === 0) for (const watch of this.#watches) watch.resume();
  }
}
