/**
 * Cuts a stream of text where a terminal would: into runs of glyphs, control characters and whole escape sequences.
 *
 * Invariants:
 * - **E1** The pieces of all calls together, with what `flush` returns, are the text that came in.
 * - **E2** What may be the begin of a sequence is kept until the rest came, so that a terminal never waits in the middle
 *   of one; a string sequence longer than the cap is passed on as it comes.
 * - **E3** Linear in the text, however it is cut.
 *
 * Prior art: Paul Williams' parser for DEC's terminals.
 *
 * @module
 */

/** What a terminal takes as one. */
export interface Piece {
  readonly kind: 'glyphs' | 'control' | 'sequence';
  readonly text: string;
}

/** A longer one is no title, link or colour but a picture. */
const LONGEST_HELD = 65_536;

/** Nothing but a string sequence is longer. */
const SHORT = 256;

const isString = /^\x1b[\]PX^_]/;

/** One after the other, from `lastIndex` on. A string (OSC, DCS, APC, PM, SOS) ends with BEL, ST, or whatever aborts it. */
const piece =
  /([^\x00-\x1f\x7f]+)|\x1b(?:\[[ -?]*(?:[@-~]|(?=[^ -~]))|[\]PX^_][^\x07\x18\x1a\x1b]*(?:\x1b\\|[\x07\x18\x1a]|(?=\x1b[^\\]))|[ -/]+(?:[0-~]|(?=[^ -~]))|[0-OQ-WYZ`-~\\]|(?=[^ -~]))|[\x00-\x1a\x1c-\x1f\x7f]/gy;

/** Whether a text ends in the first half of a character. */
function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

/** One per stream: streams may be cut anywhere, and be mixed. */
export class EscapeSplitter {
  /** In parts, so that a sequence that comes byte by byte is not searched again and again (E3). */
  #held: string[] = [];
  #heldLength = 0;
  #heldEscape = false;

  /** What is whole by now. */
  split(chunk: string): Piece[] {
    if (chunk === '') return [];
    if (this.#heldLength > 0 && !this.#mayEnd(chunk)) {
      this.#hold(chunk);
      return this.#heldLength > LONGEST_HELD ? this.flush() : [];
    }
    const text = this.#take() + chunk;
    const pieces: Piece[] = [];
    piece.lastIndex = 0;
    let end = 0;
    for (let found = piece.exec(text); found !== null; found = piece.exec(text)) {
      end = piece.lastIndex;
      const whole = found[0];
      pieces.push({
        kind: found[1] !== undefined ? 'glyphs' : whole.length > 1 ? 'sequence' : 'control',
        text: whole,
      });
    }
    this.#hold(text.slice(end));
    if (this.#heldLength > (isString.test(text.slice(end, end + 2)) ? LONGEST_HELD : SHORT))
      pieces.push(...this.flush());
    const last = pieces.at(-1);
    if (this.#heldLength === 0 && last?.kind === 'glyphs' && endsInHalf(last.text)) {
      pieces.pop();
      if (last.text.length > 1) pieces.push({ kind: 'glyphs', text: last.text.slice(0, -1) });
      this.#hold(last.text.slice(-1));
    }
    return pieces;
  }

  /** Nothing more comes: what was held, as one. */
  flush(): Piece[] {
    const text = this.#take();
    return text === '' ? [] : [{ kind: 'sequence', text }];
  }

  /** Forgets what was held. */
  clear(): void {
    this.#take();
  }

  /** A string sequence ends with one of these and with nothing else; whatever else is held is short. */
  #mayEnd(chunk: string): boolean {
    return this.#heldLength < SHORT || this.#heldEscape || /[\x07\x18\x1a\x1b]/.test(chunk);
  }

  #hold(text: string): void {
    if (text === '') return;
    this.#held.push(text);
    this.#heldLength += text.length;
    this.#heldEscape = text.endsWith('\x1b');
  }

  #take(): string {
    const text = this.#held.length === 1 ? (this.#held[0] ?? '') : this.#held.join('');
    this.#held = [];
    this.#heldLength = 0;
    return text;
  }
}
