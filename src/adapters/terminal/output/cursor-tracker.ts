/**
 * Where a terminal's cursor stands after all that was written: the column, the glyph before it, the rows below that are
 * in use, and the style.
 *
 * Invariants:
 * - **U1** `column` is what the terminal's is, from the first line break on; after the last column it equals the width,
 *   for the next glyph will wrap.
 * - **U2** Rows are relative: nothing here knows where on the screen the cursor stands.
 *
 * Prior art: the state that xterm saves and restores with DECSC and DECRC.
 *
 * @module
 */
import type { Piece } from './escape-splitter.ts';
import { glyphWidth } from './glyph-width.ts';
import { TextStyle } from './text-style.ts';

/**
 * The size of the screen; what a stream does not say is taken as usual.
 *
 * @since 0.1.0
 */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

interface Glyph {
  readonly text: string;
  readonly width: number;
  /** From the plain style to the one that it was written in, and back. */
  readonly on: string;
  readonly off: string;
}

/** More marks on one glyph are noise. */
const LONGEST_GLYPH = 64;

const movement = /^\x1b\[(\d*)(?:;(\d*))?(?:;[\d;]*)?([A-HJ`adefs-u])$/;
const erasure = /^\x1b\[[0-2]?[JK]$/;
const otherScreen = /^\x1b\[\?(?:47|1047|1049)([hl])$/;

/** One per screen. */
export class CursorTracker {
  readonly #size: () => ScreenSize;
  readonly style: TextStyle = new TextStyle();
  column = 0;
  /** Rows below the cursor's that something was written to. */
  below = 0;
  /** The cursor is at the begin of a row that nothing was written to. */
  isOnEmptyRow = false;
  /** Another program has the whole screen, and takes it away when it ends. */
  isOtherScreen = false;
  /** The last thing written was this glyph, and a mark or a joiner may follow it. */
  glyph: Glyph | undefined;
  /** The last glyph, whatever came after it; with what erased it, for only a glyph brings the cursor past the edge. */
  #edge: Glyph | undefined;
  #saved = 0;
  #erased = false;

  constructor(size: () => ScreenSize) {
    this.#size = size;
  }

  /** The cursor, put back where it was by someone who stands at the begin of its row, in plain style. */
  get restored(): string {
    const { columns } = this.#size();
    const glyph = this.glyph ?? (this.column >= columns ? this.#edge : undefined);
    const start = glyph === undefined ? this.column : this.column - glyph.width;
    const move = start > 0 ? `\x1b[${String(Math.min(start, columns - 1))}C` : '';
    if (glyph === undefined) return move + this.style.on;
    const { on } = this.style;
    // Written last of all where a mark may still follow it: a terminal joins the two only side by side.
    if (glyph === this.glyph) return move + on + glyph.text;
    return move + glyph.on + glyph.text + glyph.off + on;
  }

  /** What the terminal makes of it. */
  read({ kind, text }: Piece): void {
    if (kind === 'glyphs') this.#print(text);
    else {
      if (this.glyph !== undefined) this.#edge = this.glyph;
      this.glyph = undefined;
      if (kind === 'control') this.#control(text);
      else this.#sequence(text);
    }
  }

  /** The cursor stands at the begin of a row that nothing was written to, and nothing is below. */
  atNewLine(): void {
    this.column = 0;
    this.below = 0;
    this.isOnEmptyRow = !this.style.hasBackground;
    this.glyph = undefined;
    this.#edge = undefined;
  }

  /** The terminal was made narrower or wider; those that break lines anew do so at the new width. */
  resized(): void {
    const { columns, rows } = this.#size();
    if (this.column > columns) this.column %= columns;
    this.below = Math.min(this.below, rows - 1);
  }

  #print(text: string): void {
    const { columns } = this.#size();
    this.isOnEmptyRow = false;
    this.#erased = false;
    let glyph = this.glyph;
    const { on, off } = this.style;
    for (const character of text) {
      const code = character.codePointAt(0) ?? 0;
      const width = glyphWidth(code);
      if (width === 0) {
        if (glyph !== undefined && glyph.text.length < LONGEST_GLYPH)
          glyph = { ...glyph, text: glyph.text + character };
        continue;
      }
      if (this.column + width > columns) {
        this.column = 0;
        this.#down(1);
      }
      this.column += width;
      glyph = { text: character, width, on, off };
    }
    this.glyph = glyph;
  }

  #control(character: string): void {
    const { columns } = this.#size();
    switch (character) {
      case '\n':
        this.#newRow();
        break;
      case '\r':
        this.column = 0;
        break;
      case '\b':
        this.column = Math.max(0, Math.min(this.column, columns - 1) - 1);
        break;
      case '\t':
        if (this.column < columns) this.column = Math.min(columns - 1, (Math.floor(this.column / 8) + 1) * 8);
        this.isOnEmptyRow = false;
        break;
      case '\v':
      case '\f':
        this.#clamp();
        this.#down(1);
        this.isOnEmptyRow = false;
        break;
      default:
        this.style.read(character);
    }
  }

  #sequence(text: string): void {
    this.style.read(text);
    if (erasure.test(text) && this.#edge?.text.endsWith(text) === false) {
      this.#edge = { ...this.#edge, text: this.#edge.text + text };
    }
    const move = movement.exec(text);
    if (move !== null) this.#move(move[3] ?? '', move[1] ?? '', move[2] ?? '');
    else if (text === '\x1bE') this.#newRow();
    else if (text === '\x1bD') this.#vertical(1);
    else if (text === '\x1bM') this.#vertical(-1);
    else if (text === '\x1b7') this.#saved = this.column;
    else if (text === '\x1b8') this.#place(this.#saved);
    else if (text === '\x1bc') {
      this.#place(0);
      this.below = 0;
    } else {
      const other = otherScreen.exec(text);
      if (other === null) return;
      this.isOtherScreen = other[1] === 'h';
      if (this.isOtherScreen) this.#saved = this.column;
      else this.#place(this.#saved);
    }
  }

  #move(final: string, first: string, second: string): void {
    const { columns, rows } = this.#size();
    const count = Math.max(1, Number(first));
    switch (final) {
      case 'A':
        this.#vertical(-count);
        return;
      case 'B':
      case 'e':
        this.#vertical(count);
        return;
      case 'C':
      case 'a':
        this.#place(Math.min(columns - 1, this.column) + count);
        return;
      case 'D':
        this.#place(Math.min(columns - 1, this.column) - count);
        return;
      case 'E':
        this.#vertical(count);
        this.#place(0);
        return;
      case 'F':
        this.#vertical(-count);
        this.#place(0);
        return;
      case 'G':
      case '`':
        this.#place(count - 1);
        return;
      case 'H':
      case 'f':
        this.#place(Math.max(1, Number(second)) - 1);
        this.#row(count, rows);
        return;
      case 'd':
        this.#row(count, rows);
        return;
      case 's':
        this.#saved = this.column;
        return;
      case 'u':
        this.#place(this.#saved);
        return;
      case 'J':
        // Nothing is left below what was erased to the end.
        if (first !== '1') this.below = 0;
        if (Number(first) >= 2) this.#erased = true;
        return;
      default:
        return;
    }
  }

  #newRow(): void {
    const isNew = this.below === 0;
    this.column = 0;
    this.#down(1);
    this.isOnEmptyRow = isNew && !this.style.hasBackground;
  }

  #down(count: number): void {
    this.below = Math.max(0, this.below - count);
  }

  #vertical(count: number): void {
    this.#clamp();
    this.isOnEmptyRow = false;
    if (count > 0) this.#down(count);
    else this.below = Math.min(this.#size().rows - 1, this.below - count);
  }

  #row(row: number, rows: number): void {
    this.isOnEmptyRow = false;
    this.below = this.#erased ? 0 : Math.max(0, rows - row);
  }

  #place(column: number): void {
    this.isOnEmptyRow = false;
    this.column = Math.max(0, Math.min(column, this.#size().columns - 1));
  }

  #clamp(): void {
    this.column = Math.min(this.column, this.#size().columns - 1);
  }
}
