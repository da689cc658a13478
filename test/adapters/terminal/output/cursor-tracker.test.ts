import { describe, expect, it } from 'vitest';

import { CursorTracker } from '../../../../src/adapters/terminal/output/cursor-tracker.ts';
import { EscapeSplitter } from '../../../../src/adapters/terminal/output/escape-splitter.ts';

function after(text: string, columns = 10, rows = 6): CursorTracker {
  const cursor = new CursorTracker(() => ({ columns, rows }));
  for (const piece of new EscapeSplitter().split(text)) cursor.read(piece);
  return cursor;
}

describe('CursorTracker', () => {
  it.each([
    ['abc', 3],
    ['日本', 4],
    ['e\u0301', 1],
    ['abc\r', 0],
    ['abc\n', 0],
    ['abc\b', 2],
    ['\b', 0],
    ['a\t', 8],
    ['a\t\t', 9],
    ['0123456789', 10],
    ['0123456789a', 1],
    ['012345678日', 2],
    ['0123456789\b', 8],
    ['\x1b[4C', 4],
    ['\x1b[40C', 9],
    ['abc\x1b[2D', 1],
    ['\x1b[5G', 4],
    ['\x1b[2;3H', 2],
    ['abc\x1b[2E', 0],
    ['ab\x1b7cd\x1b8', 2],
    ['ab\x1b[?1049hcdef\x1b[?1049l', 2],
    ['ab\x0bc', 3],
  ])('after %j the column is %i', (text, column) => {
    expect(after(text).column).toBe(column);
  });

  it.each([
    ['a\nb\nc', 0],
    ['a\nb\nc\x1b[2A', 2],
    ['a\nb\nc\x1b[2A\n', 1],
    ['a\nb\nc\x1b[2A\x1b[J', 0],
    ['\x1b[99A', 5],
    ['\x1b[2;1H', 4],
    ['\x1b[2J\x1b[H', 0],
    ['\x1b[2J\x1b[Hx\x1b[1;1H', 5],
  ])('after %j so many rows below may be in use: %i', (text, below) => {
    expect(after(text).below).toBe(below);
  });

  it('knows the begin of a row that nothing was written to', () => {
    expect(after('a\n').isOnEmptyRow).toBe(true);
    for (const text of ['', 'a', 'a\r', 'a\n\x1b[A', '\x1b[41ma\n', 'a\n\x1b[A\n']) {
      expect(after(text).isOnEmptyRow, JSON.stringify(text)).toBe(false);
    }
  });

  it('writes the last glyph again, so that a mark may still follow it and the edge is known', () => {
    expect(after('abc').restored).toBe('\x1b[2Cc');
    expect(after('abc\x1b[1m').restored).toBe('\x1b[3C\x1b[1m');
    expect(after('ae\u0301').restored).toBe('\x1b[1Ce\u0301');
    expect(after('01234567日').restored).toBe('\x1b[8C日');
    expect(after('012345678\x1b[31m9\x1b[0m').restored).toBe('\x1b[9C\x1b[31m9\x1b[0m');
    expect(after('').restored).toBe('');
  });

  it('finds a column that fits when the screen becomes narrower', () => {
    let columns = 10;
    const cursor = new CursorTracker(() => ({ columns, rows: 6 }));
    cursor.read({ kind: 'glyphs', text: '01234567' });
    columns = 5;
    cursor.resized();
    expect(cursor.column).toBe(3);
  });

  it('knows when another program has the screen', () => {
    expect(after('\x1b[?1049h').isOtherScreen).toBe(true);
    expect(after('\x1b[?1049h\x1b[?1049l').isOtherScreen).toBe(false);
  });
});
