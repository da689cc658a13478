/**
 * A line as rows of the screen: broken where the screen ends, line breaks shown as a mark, and the part around the cursor
 * where not all of it fits.
 *
 * @module
 */
import type { FooterContent } from '../output/footer.ts';
import type { ScreenSize } from '../output/cursor-tracker.ts';
import { textWidth } from '../output/glyph-width.ts';
import type { LineState } from './line-state.ts';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** What stands for text that is not shown. */
const MORE = '…';

/** What a person sees of a grapheme: a line break and a tab by a mark, nothing that moves a cursor. */
export function visible(grapheme: string): string {
  if (/^\r?\n$/.test(grapheme)) return '⏎';
  if (grapheme === '\t') return '⇥';
  return /\p{Cc}/u.test(grapheme) ? '�' : grapheme;
}

/** More of a line than a screen has is no help to anybody, and takes time to draw. */
const LEFT = 4096;

/** What a line leaves on the screen: all of it, or the begin of a pasted book. */
export function lineLeft(text: string): string {
  if (text.length <= LEFT) return visibleText(text);
  return visibleText(text.slice(0, safeStart(text, LEFT))) + MORE;
}

/** The text with marks for what cannot be shown, on one row. */
export function visibleText(text: string): string {
  return text.replace(/\r\n?|\p{Cc}/gu, visible);
}

/**
 * The rows of a prompt and its line, and where the cursor is.
 *
 * @param room How many rows there may be.
 */
export function lineRows(
  prompt: string,
  { text, cursor }: LineState,
  { columns, room }: ScreenSize & { readonly room: number },
): FooterContent & { readonly cursor: { readonly row: number; readonly column: number } } {
  const width = Math.max(1, columns - 1);
  // Only what could be shown is looked at, so that a pasted book costs no more than a word.
  const reach = width * Math.max(1, room);
  const from = safeStart(text, cursor - reach);
  const to = cursor + reach;
  const rows: string[] = [''];
  let used = 0;
  let at = { row: 0, column: 0 };
  const put = (shown: string): void => {
    const needed = textWidth(shown);
    if (used + needed > width && used > 0) {
      rows.push('');
      used = 0;
    }
    if (needed > width) return;
    rows.push((rows.pop() ?? '') + shown);
    used += needed;
  };
  for (const { segment } of graphemes.segment(visibleText(prompt) + (from > 0 ? MORE : ''))) put(segment);
  let offset = from;
  at = { row: rows.length - 1, column: used };
  for (const { segment } of graphemes.segment(text.slice(from, to))) {
    put(visible(segment));
    offset += segment.length;
    if (offset <= cursor) at = { row: rows.length - 1, column: used };
  }
  if (to < text.length) put(MORE);
  const first = Math.max(0, Math.min(at.row - Math.floor(room / 2), rows.length - room));
  return { rows: rows.slice(first, first + room), cursor: { row: at.row - first, column: at.column } };
}

/** No half of a character. */
function safeStart(text: string, start: number): number {
  if (start <= 0) return 0;
  const code = text.charCodeAt(start);
  return code >= 0xdc00 && code <= 0xdfff ? start + 1 : start;
}
