/**
 * How many columns a character takes. Terminals that draw a joined emoji as one picture may take fewer; all agree again
 * at the next line break.
 *
 * Prior art: `wcwidth`, as xterm, VTE and tmux use it: one code point after the other.
 *
 * @module
 */
import { eastAsianWidth } from 'get-east-asian-width';

/** Marks, joiners and variation selectors stand on the glyph before them; so do the later parts of a Hangul syllable. */
const zeroWidth = /^(?:(?!\u00AD)[\p{Mn}\p{Me}\p{Cf}]|[\u1160-\u11FF])$/u;

/** Columns of one code point that is no control character: 0, 1 or 2. */
export function glyphWidth(codePoint: number): number {
  if (codePoint < 0x300) return 1;
  // Most of what is wide: ideographs and Hangul, told apart without a search.
  if ((codePoint >= 0x4e00 && codePoint <= 0x9fff) || (codePoint >= 0xac00 && codePoint <= 0xd7a3)) return 2;
  if (zeroWidth.test(String.fromCodePoint(codePoint))) return 0;
  return eastAsianWidth(codePoint);
}

/** Columns of a text without control characters. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += glyphWidth(character.codePointAt(0) ?? 0);
  return width;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A text without control characters cut to so many columns, with a mark where something is missing. */
export function fitText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let fitting = '';
  let left = columns - 1;
  for (const { segment } of graphemes.segment(text)) {
    left -= textWidth(segment);
    if (left < 0) break;
    fitting += segment;
  }
  return columns < 1 ? '' : `${fitting}…`;
}
