import { describe, expect, it } from 'vitest';

import { lineLeft, lineRows, visibleText } from '../../../../src/adapters/terminal/line-editor/line-rows.ts';

const size = (columns: number, room: number): { columns: number; rows: number; room: number } => ({
  columns,
  rows: room + 2,
  room,
});

describe('lineRows', () => {
  it('shows the line behind its prompt, and where the cursor is', () => {
    expect(lineRows('> ', { text: 'abc', cursor: 1 }, size(20, 4))).toEqual({
      rows: ['> abc'],
      cursor: { row: 0, column: 3 },
    });
  });

  it('shows line breaks by a mark, on one row', () => {
    expect(lineRows('> ', { text: 'one\ntwo\nthree', cursor: 13 }, size(40, 4)).rows).toEqual(['> one⏎two⏎three']);
    expect(visibleText('a\r\nb\tc\x1b[')).toBe('a⏎b⇥c�[');
  });

  it('leaves the begin of a pasted book on the screen, and no half of a character', () => {
    expect(lineLeft('a\nb')).toBe('a⏎b');
    expect(lineLeft('a'.repeat(4096))).toBe('a'.repeat(4096));
    expect(lineLeft(`${'a'.repeat(4095)}👍${'b'.repeat(1e6)}`)).toBe(`${'a'.repeat(4095)}👍…`);
  });

  it('breaks rows before the last column, and no wide glyph in two', () => {
    expect(lineRows('> ', { text: '日本語日本', cursor: 5 }, size(8, 4))).toEqual({
      rows: ['> 日本', '語日本'],
      cursor: { row: 1, column: 6 },
    });
  });

  it('shows the part around the cursor where not all of it fits', () => {
    const text = Array.from({ length: 40 }, (_, index) => String(index % 10)).join('');
    const shown = lineRows('', { text, cursor: 20 }, size(6, 3));
    expect(shown.rows).toHaveLength(3);
    expect(shown.rows[shown.cursor.row]?.slice(0, shown.cursor.column)).toMatch(/9$/);
    expect(lineRows('', { text, cursor: 40 }, size(6, 3)).rows.join('')).toMatch(/9$/);
  });

  it('looks at no more of a pasted book than it shows', () => {
    const book = 'word 👩‍👩‍👧 '.repeat(100_000);
    const from = performance.now();
    for (let round = 0; round < 20; round++) lineRows('> ', { text: book, cursor: 700_000 }, size(80, 20));
    expect(performance.now() - from).toBeLessThan(1000);
  });
});
