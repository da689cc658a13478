/**
 * Remembers which message of one shape stands for which of another, so that a dialect can be settled in the shape of a
 * room that it shares, and what was not touched comes back as the object that it was.
 * Prior art: source maps.
 *
 * @module
 */

/** A key that is copied with the rest of an object, and that JSON leaves out. */
const origin = Symbol('origin');

/** One pass there and back. */
export class Translation<Own extends object, Other extends object> {
  readonly #untouched = new Map<object, Own>();

  /** Lets `other`, which nobody else holds yet, stand for a message of ours from here on. */
  link(own: Own, other: Other): Other {
    (other as { [origin]?: Own })[origin] = own;
    this.#untouched.set(other, own);
    return other;
  }

  /** Our message, if nobody has changed what stands for it. */
  untouched(other: object): Own | undefined {
    return this.#untouched.get(other);
  }

  /** Our message of which this was made, perhaps with changes. */
  originOf(other: object): Own | undefined {
    return (other as { readonly [origin]?: Own })[origin];
  }
}
