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

  /** The one of that rank, if it has not ended; for a list whose ranks rise. */
  find(wanted: number, rankOf: (item: T) => number): T | undefined {
    let [low, high] = [0, this.#items.length - 1];
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const item = this.#items[middle] as T;
      const rank = rankOf(item);
      if (rank === wanted) return this.#isOver(item) ? undefined : item;
      if (rank < wanted) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  /** Those that have not ended, as they are now. */
  list(): T[] {
    return this.#items.filter((item) => !this.#isOver(item));
  }
}
