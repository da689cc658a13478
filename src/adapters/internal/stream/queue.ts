/**
 * First in, first out, at the same cost however long it is: `Array.shift()` moves everything that is left. Prior art:
 * Node's `FixedQueue`.
 *
 * @module
 */

/** So many places are left empty at the front before the rest moves up. */
const SPARE = 1024;

/** A queue. */
export class Queue<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  /** @returns The length after it. */
  push(item: T): number {
    return this.#items.push(item) - this.#head;
  }

  /** The oldest, or `undefined` of an empty queue. */
  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    // Moved at most once for each time that it was half of all.
    if (this.#head === this.#items.length) this.clear();
    else if (this.#head >= SPARE && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Empties it. */
  clear(): void {
    this.#items = [];
    this.#head = 0;
  }
}
