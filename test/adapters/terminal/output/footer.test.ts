import { beforeEach, describe, expect, it } from 'vitest';

import { CursorTracker } from '../../../../src/adapters/terminal/output/cursor-tracker.ts';
import { Footer } from '../../../../src/adapters/terminal/output/footer.ts';

let size: { columns: number; rows: number };
let cursor: CursorTracker;
let footer: Footer;

beforeEach(() => {
  size = { columns: 20, rows: 6 };
  cursor = new CursorTracker(() => size);
  footer = new Footer(cursor, () => size);
});

describe('Footer', () => {
  it('stands below a row that was written to, and on one that was not', () => {
    cursor.read({ kind: 'glyphs', text: 'abc' });
    expect(footer.draw({ rows: ['x', 'yy'] })).toBe('\r\n\x1b[Jx\r\nyy\r\x1b[2C');
    expect(footer.erase()).toBe('\x1b[1A\r\x1b[J\x1b[1A\x1b[2Cc');
    cursor.read({ kind: 'control', text: '\n' });
    expect(footer.draw({ rows: ['x'] })).toBe('\x1b[Jx\r\x1b[1C');
    expect(footer.erase()).toBe('\r\x1b[J');
    expect(footer.erase()).toBe('');
  });

  it('is drawn anew where it stands', () => {
    footer.draw({ rows: ['x', 'y'], cursor: { row: 0, column: 1 } });
    expect(footer.draw({ rows: ['z'] })).toBe('\r\x1b[Jz\r\x1b[1C');
    footer.draw({ rows: ['x', 'y'], cursor: { row: 1, column: 0 } });
    expect(footer.draw({ rows: ['z'] })).toBe('\x1b[1A\r\x1b[Jz\r\x1b[1C');
  });

  it('is no higher than the screen less two rows, and less what is in use below the cursor', () => {
    expect(footer.room).toBe(4);
    expect(footer.draw({ rows: ['1', '2', '3', '4', '5'] })).not.toContain('5\r');
    footer.erase();
    cursor.read({ kind: 'sequence', text: '\x1b[3A' });
    expect(footer.room).toBe(1);
    cursor.read({ kind: 'sequence', text: '\x1b[?1049h' });
    expect(footer.draw({ rows: ['x'] })).toBe('');
    expect(footer.erase()).toBe('');
  });

  it('finds its first row after the terminal has broken its rows anew', () => {
    footer.draw({ rows: ['0123456789', 'yy'] });
    size.columns = 4;
    expect(footer.erase()).toMatch(/^\x1b\[3A\r/);
  });

  it('shows its rows in plain style and gives the style back', () => {
    cursor.read({ kind: 'sequence', text: '\x1b[31m' });
    expect(footer.draw({ rows: ['x'] })).toMatch(/^\x1b\[0m\r\n/);
    expect(footer.erase()).toMatch(/\x1b\[31m$/);
  });
});
