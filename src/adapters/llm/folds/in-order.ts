/**
 * The pieces of a reply by the places that the provider names, in the order of the places. Whatever numbers a server
 * sends, only the pieces that are there cost anything.
 *
 * @module
 */

/** Pieces by place. */
export class InOrder<T> {
  readonly #places: number[] = [];
  readonly #pieces: T[] = [];

  /** The highest place; -1 before the first piece. */
  get last(): number {
    return this.#places.at(-1) ?? -1;
  }

  get length(): number {
    return this.#pieces.length;
  }

  get(place: number): T | undefined {
    const at = this.indexOf(place);
    return this.#places[at] === place ? this.#pieces[at] : undefined;
  }

  /** Puts a piece in its place, in the stead of one that was there. */
  set(place: number, piece: T): void {
    const at = this.indexOf(place);
    if (this.#places[at] === place) this.#pieces[at] = piece;
    else if (at === this.#pieces.length) {
      this.#places.push(place);
      this.#pieces.push(piece);
    } else {
      this.#places.splice(at, 0, place);
      this.#pieces.splice(at, 0, piece);
    }
  }

  /** How many pieces stand before this place. */
  indexOf(place: number): number {
    const places = this.#places;
    let high = places.length;
    // A stream goes on at its end.
    if (high === 0 || place > (places[high - 1] as number)) return high;
    if (place === places[high - 1]) return high - 1;
    let low = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((places[middle] as number) < place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** All pieces, the lowest place first: the list itself, which goes on with the stream. */
  values(): readonly T[] {
    return this.#pieces;
  }
}
