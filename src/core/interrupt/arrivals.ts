/**
 * Things in the order in which they came, which end in any order.
 * In the interrupt room at its ground. There is an entry per call, so that coming and ending is an append and a count:
 * what has ended is forgotten now and then, many at once.
 *
 * Invariant: no more than half of what is kept, or a handful, is over.
 *
 * @module
 */

/** How many may be over before it is worth looking. */
const HANDFUL = 16;

/** A list that forgets what is over. */
export class Arrivals<T> {
  readonly #isOver: (item: T) => boolean;
  #items: T[] = [];
  #over = 0;

  constructor(isOver: (item: T) => boolean) {
    this.#isOver = isOver;
  }

  add(item: T): void {
    this.#items.push(item);
  }

  /** One of them is over. */
  ended(): void {
    if (++this.#over >= HANDFUL && this.#over * 2 >= this.#items.length) this.forget();
  }

  /** Lets go of what is over. */
  forget(): void {
    this.#items = this.list();
    this.#over = 0;
  }

  /** Those that are not over, as they are now. */
  list(): T[] {
    return this.#items.filter((item) => !this.#isOver(item));
  }
}
