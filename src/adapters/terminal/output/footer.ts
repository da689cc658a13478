/**
 * Rows below the output that are ours: drawn, drawn anew and taken away, with relative cursor moves only.
 *
 * Invariants:
 * - **F1** After `erase` the cursor, the style and every row of the output are as they were before `draw`.
 * - **F2** A row never fills the last column, so that the terminal breaks none of them.
 * - **F3** The footer is no higher than the screen less the rows that must stay above it.
 *
 * Prior art: `log-update`; readline's own line.
 *
 * @module
 */
import type { CursorTracker, ScreenSize } from './cursor-tracker.ts';
import { textWidth } from './glyph-width.ts';

/**
 * What the footer shows.
 *
 * @since 0.1.0
 */
export interface FooterContent {
  /** One row each, without control characters but styles. */
  readonly rows: readonly string[];
  /** Where the cursor is to stand; at the end of the last row if nothing is said. */
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
}

interface Drawn {
  readonly rows: readonly string[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
  readonly onEmptyRow: boolean;
  readonly below: number;
}

const up = (rows: number): string => (rows > 0 ? `\x1b[${String(rows)}A` : '');
const down = (rows: number): string => (rows > 0 ? `\x1b[${String(rows)}B` : '');
const right = (columns: number): string => (columns > 0 ? `\x1b[${String(columns)}C` : '');

/** Columns of a row, its styles aside. */
function widthOf(row: string): number {
  return textWidth(row.replace(/\x1b\[[\d;]*m/g, ''));
}

/** One per screen. Every function returns what is to be written. */
export class Footer {
  readonly #cursor: CursorTracker;
  readonly #size: () => ScreenSize;
  #drawn: Drawn | undefined;

  constructor(cursor: CursorTracker, size: () => ScreenSize) {
    this.#cursor = cursor;
    this.#size = size;
  }

  /** How many rows there is room for. */
  get room(): number {
    if (this.#cursor.isOtherScreen) return 0;
    return Math.max(0, this.#size().rows - 2 - this.#cursor.below);
  }

  /** Draws it below the output, or anew where it stands. */
  draw({ rows, cursor }: FooterContent): string {
    const shown = rows.slice(0, this.room);
    if (shown.length === 0) return this.erase();
    const before = this.#drawn;
    const { below, isOnEmptyRow } = this.#cursor;
    const last = shown.length - 1;
    const cursorRow = Math.min(cursor?.row ?? last, last);
    const cursorColumn = cursor?.column ?? widthOf(shown[last] ?? '');
    this.#drawn = {
      rows: shown,
      cursorRow,
      cursorColumn,
      onEmptyRow: before?.onEmptyRow ?? isOnEmptyRow,
      below: before?.below ?? below,
    };
    const start =
      before === undefined
        ? `${this.#cursor.style.off}${down(below)}${isOnEmptyRow ? '' : '\r\n'}`
        : `${up(this.#above(before))}\r`;
    return `${start}\x1b[J${shown.join('\r\n')}${up(last - cursorRow)}\r${right(cursorColumn)}`;
  }

  /** Takes it away (F1). */
  erase(): string {
    const drawn = this.#drawn;
    if (drawn === undefined) return '';
    this.#drawn = undefined;
    const back = drawn.onEmptyRow ? '' : up(1 + drawn.below);
    return `${up(this.#above(drawn))}\r\x1b[J${back}${this.#cursor.restored}`;
  }

  /** Rows between the first one and the cursor: a terminal that was made narrower has broken some of them. */
  #above({ rows, cursorRow, cursorColumn }: Drawn): number {
    const { columns } = this.#size();
    let above = Math.floor(cursorColumn / columns);
    for (const row of rows.slice(0, cursorRow)) above += Math.max(1, Math.ceil(widthOf(row) / columns));
    return above;
  }
}
