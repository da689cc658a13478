/**
 * Times in which silence of the model is expected: a tool runs, or a person is asked.
 *
 * @module
 */
import type { IdleWatch } from '../../combinators/engine/idle-watch.ts';

/** Pauses every watch of a turn together. */
export class IdlePauses {
  /** Made with the first: most turns watch nothing. */
  #watches: Set<IdleWatch> | undefined;
  #count = 0;

  /** A watch begins; returns its end. */
  add(watch: IdleWatch): () => void {
    (this.#watches ??= new Set()).add(watch);
    if (this.#count > 0) watch.pause();
    return () => {
      this.#watches?.delete(watch);
      watch.release();
    };
  }

  pause(): void {
    if (this.#count++ === 0 && this.#watches !== undefined) for (const watch of this.#watches) watch.pause();
  }

  resume(): void {
    if (--this.#count === 0 && this.#watches !== undefined) for (const watch of this.#watches) watch.resume();
  }
}
