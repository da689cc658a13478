/**
 * A terminal's screen as it is written to: the output above, the footer below it, and never one in the other.
 *
 * Invariants:
 * - **D1** Every write leaves the footer drawn and the output as it would be without one.
 * - **D2** What is written at one time is one write to the stream.
 *
 * @module
 */
import { CursorTracker, type ScreenSize } from './cursor-tracker.ts';
import { EscapeSplitter, type Piece } from './escape-splitter.ts';
import { Footer, type FooterContent } from './footer.ts';

/**
 * Renders what it shows for the size at hand.
 *
 * @since 0.1.0
 */
export type RenderFooter = (size: ScreenSize & { readonly room: number }) => FooterContent;

/** One per stream. */
export class Screen {
  readonly #put: (text: string) => boolean;
  readonly #size: () => ScreenSize;
  readonly #cursor: CursorTracker;
  readonly #footer: Footer;
  #footers: readonly RenderFooter[] = [];
  /** The style in force is that of a writer who is gone. */
  #styleIsLeft = false;

  constructor(size: () => ScreenSize, put: (text: string) => boolean) {
    this.#put = put;
    this.#size = size;
    this.#cursor = new CursorTracker(size);
    this.#footer = new Footer(this.#cursor, size);
  }

  /** Output; `false` if the stream wants to be waited for. */
  write(pieces: readonly Piece[]): boolean {
    return pieces.length === 0 || this.#around(() => this.#plainFirst() + this.#read(pieces));
  }

  /** A line of its own, in plain style, wherever the output stands. */
  writeLine(text: string): boolean {
    return this.#around(() => {
      const left = this.#plainFirst();
      const { off, on } = this.#cursor.style;
      const start = this.#cursor.column === 0 ? '' : '\r\n';
      return left + this.#read([...pieces(off + start + text), ...pieces(`\r\n${on}`)]);
    });
  }

  /** The writer of what stands there has gone: whoever comes next begins in plain style. */
  leaveStyle(): void {
    this.#styleIsLeft = true;
  }

  /** The cursor was moved by somebody else. */
  atNewLine(): void {
    this.#cursor.atNewLine();
  }

  /** Adds a footer below all others, or takes it away. */
  addFooter(render: RenderFooter): void {
    this.#footers = [...this.#footers, render];
    this.redraw();
  }

  removeFooter(render: RenderFooter): void {
    this.#footers = this.#footers.filter((other) => other !== render);
    this.redraw();
  }

  clearFooters(): void {
    this.#footers = [];
    this.redraw();
  }

  redraw(): void {
    const text = this.#draw();
    if (text !== '') this.#put(text);
  }

  resized(): void {
    this.#cursor.resized();
    this.redraw();
  }

  #around(output: () => string): boolean {
    const erased = this.#footer.erase();
    const text = erased + output() + this.#draw();
    return text === '' || this.#put(text);
  }

  #draw(): string {
    if (this.#footers.length === 0) return this.#footer.erase();
    const { room } = this.#footer;
    const rows: string[] = [];
    let cursor: FooterContent['cursor'];
    // From the newest up: it has the cursor, and its rows are the last to be left out.
    for (const render of [...this.#footers].reverse()) {
      const left = room - rows.length;
      if (left <= 0) break;
      const content = render({ ...this.#size(), room: left });
      const fitting = content.rows.slice(0, left);
      cursor = cursor === undefined ? content.cursor : { row: cursor.row + fitting.length, column: cursor.column };
      rows.unshift(...fitting);
    }
    return this.#footer.draw({ rows, cursor });
  }

  #plainFirst(): string {
    if (!this.#styleIsLeft) return '';
    this.#styleIsLeft = false;
    const { off } = this.#cursor.style;
    this.#cursor.style.clear();
    return off;
  }

  #read(list: readonly Piece[]): string {
    let text = '';
    for (const piece of list) {
      this.#cursor.read(piece);
      text += piece.text;
    }
    return text;
  }
}

/** Text of the program's own, cut as the terminal will. */
export function pieces(text: string): Piece[] {
  const splitter = new EscapeSplitter();
  return [...splitter.split(text), ...splitter.flush()];
}
