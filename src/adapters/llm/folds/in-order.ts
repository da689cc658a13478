/**
 * The pieces of a reply by the places that the provider names, in the order of the places. Whatever numbers a server
 * sends, only the pieces that are there cost anything.
 *
 * @module
 */

/** Pieces by place. */
export class InOrder<T> {
  readonly #pieces = new Map<number, T>();
  /** The highest place; -1 before the first piece. */
  last = -1;
  #isSorted = true;
  #sorted: readonly T[] | undefined;

  get(place: number): T | undefined {
    return this.#pieces.get(place);
  }

  set(place: number, piece: T): void {
    if (!this.#pieces.has(place) && place < this.last) this.#isSorted = false;
    this.#pieces.set(place, piece);
    this.#sorted = undefined;
    if (place > this.last) this.last = place;
  }

  /** All pieces, the lowest place first. */
  values(): readonly T[] {
    if (this.#sorted === undefined) {
      const entries = [...this.#pieces];
      if (!this.#isSorted) entries.sort(([a], [b]) => a - b);
      this.#sorted = entries.map(([, piece]) => piece);
    }
    return this.#sorted;
  }
}
