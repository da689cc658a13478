/**
 * Where a JSON text ends that comes in pieces, and what it lacks until then, without reading it again.
 *
 * @module
 */

/** What is neither a number nor a text. */
const literals = ['true', 'false', 'null'];

/** Reads one JSON text as it comes; of a text that is none it says nothing of use. */
export class JsonEnd {
  /** What closes the brackets that are open. */
  readonly #closers: string[] = [];
  /** The last bracket, comma, colon, or end of a text. */
  #mark = '';
  /** A number or a literal, as far as it has come. */
  #word = '';
  #isInText = false;
  /** The last text is the key of a value. */
  #isKey = false;
  /** What an escape in a text lacks. */
  #escape = '';

  /** Whether everything that was opened has been closed. */
  get hasCome(): boolean {
    return !this.#isInText && this.#closers.length === 0;
  }

  /** What makes it whole when it is put behind it. Nothing at all is made an object. */
  get rest(): string {
    if (!this.#isInText && this.#mark + this.#word === '') return '{}';
    return this.#lacking() + [...this.#closers].reverse().join('');
  }

  add(piece: string): void {
    for (let at = 0; at < piece.length; at += 1) {
      const char = piece.charAt(at);
      if (this.#escape !== '') {
        if (this.#escape !== '\\') this.#escape = this.#escape.slice(1);
        else this.#escape = char === 'u' ? '0000' : '';
      } else if (this.#isInText) {
        if (char === '\\') this.#escape = char;
        else if (char === '"') {
          this.#mark = char;
          this.#isInText = false;
        }
      } else if (char === '"') {
        this.#isInText = true;
        this.#isKey = this.#closers.at(-1) === '}' && this.#mark !== ':';
      } else if ('{}[],:'.includes(char)) this.#pass(char);
      else if (char > ' ') this.#word += char;
    }
  }

  #pass(mark: string): void {
    this.#mark = mark;
    this.#word = '';
    if (mark === '{' || mark === '[') this.#closers.push(mark === '{' ? '}' : ']');
    else if (mark === '}' || mark === ']') this.#closers.pop();
  }

  /** What the innermost value lacks. */
  #lacking(): string {
    if (this.#isInText) return `${this.#escape}"${this.#isKey ? ':null' : ''}`;
    if (this.#word !== '') {
      const literal = literals.find((each) => each.startsWith(this.#word));
      return literal?.slice(this.#word.length) ?? (/\d$/.test(this.#word) ? '' : '0');
    }
    if (this.#mark === ',') return this.#closers.at(-1) === '}' ? '"":null' : 'null';
    if (this.#mark === ':') return 'null';
    return this.#mark === '"' && this.#isKey ? ':null' : '';
  }
}
