/**
 * A list in the order of arrival whose items end in any order. An entry is made per call, so that adding and ending are
 * an append and a count: ended items are removed now and then, many at once.
 *
 * Invariant: no more than half of what is kept, or a handful, has ended.
 *
 * @module
 */

/** How many may have ended before it is worth looking. */
const HANDFUL = 16;

/** A lazily compacted list. */
export class CompactingList<T> {
  readonly #isOver: (item: T) => boolean;
  #items: T[] = [];
  #over = 0;

  constructor(isOver: (item: T) => boolean) {
    this.#isOver = isOver;
  }

  add(item: T): void {
    this.#items.push(item);
  }

  /** One of them has ended. */
  ended(): void {
    if (++this.#over >= HANDFUL && this.#over * 2 >= this.#items.length) this.forget();
  }

  /** Removes what has ended. */
  forget(): void {
    this.#items = this.list();
    this.#over = 0;
  }

  /** Those that have not ended, as they are now. */
  list(): T[] {
    return this.#items.filter((item) => !this.#isOver(item));
  }
}
