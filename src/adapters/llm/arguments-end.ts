/**
 * Where the arguments of a call end that come in pieces, without reading them again with each piece.
 *
 * @module
 */

/** Counts the brackets of one JSON text as it comes. */
export class ArgumentsEnd {
  #depth = 0;
  #isInText = false;
  #isEscaped = false;

  /** Whether everything that was opened has been closed. */
  get hasCome(): boolean {
    return !this.#isInText && this.#depth === 0;
  }

  add(piece: string): void {
    for (let at = 0; at < piece.length; at += 1) {
      const char = piece[at];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (char === '"') this.#isInText = !this.#isInText;
      else if (this.#isInText) this.#isEscaped = char === '\\';
      else if (char === '{' || char === '[') this.#depth += 1;
      else if (char === '}' || char === ']') this.#depth -= 1;
    }
  }
}
