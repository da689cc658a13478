import { describe, expect, it } from 'vitest';

import { pieces, Screen } from '../../../../src/adapters/terminal/output/screen.ts';
import { emulate, feed, textOf } from './emulated-screen.ts';

function setUp(rows = 8): { screen: Screen; written: string[]; shown: () => Promise<string> } {
  const written: string[] = [];
  const size = { columns: 20, rows };
  const screen = new Screen(
    () => size,
    (text) => {
      written.push(text);
      return true;
    },
  );
  const shown = async (): Promise<string> => {
    const terminal = emulate(size.columns, size.rows);
    await feed(terminal, written.join(''));
    const text = textOf(terminal);
    terminal.dispose();
    return text;
  };
  return { screen, written, shown };
}

describe('Screen', () => {
  it('shows the newest footer lowest, with the output above', async () => {
    const { screen, shown } = setUp();
    screen.addFooter(() => ({ rows: ['status'] }));
    screen.write(pieces('one\ntw'));
    screen.addFooter(() => ({ rows: ['> line'] }));
    screen.write(pieces('o'));
    expect(await shown()).toBe('one\ntwo\nstatus\n> line');
  });

  it('leaves out older footers first where there is no room', async () => {
    const { screen, shown } = setUp(5);
    screen.addFooter(() => ({ rows: ['status', 'more'] }));
    screen.addFooter(() => ({ rows: ['> a', '> b'] }));
    expect(await shown()).toBe('\nstatus\n> a\n> b');
  });

  it('writes each time once', () => {
    const { screen, written } = setUp();
    screen.addFooter(() => ({ rows: ['status'] }));
    screen.write(pieces('a'));
    expect(written).toHaveLength(2);
    screen.write([]);
    expect(written).toHaveLength(2);
  });

  it('gives a line a row of its own and its style back to the output', async () => {
    const { screen, written, shown } = setUp();
    screen.write(pieces('\x1b[31mred'));
    screen.writeLine('receipt');
    screen.write(pieces('still red'));
    expect(written.join('')).toBe('\x1b[31mred\x1b[0m\r\nreceipt\r\n\x1b[31mstill red');
    expect(await shown()).toBe('red\nreceipt\nstill red');
  });

  it('begins in plain style after a writer who is gone', () => {
    const { screen, written } = setUp();
    screen.write(pieces('\x1b[31mred'));
    screen.leaveStyle();
    expect(written).toHaveLength(1);
    screen.writeLine('receipt');
    expect(written.at(-1)).toBe('\x1b[0m\r\nreceipt\r\n');
  });

  it('draws its footers anew for another size', async () => {
    const { screen, written, shown } = setUp();
    screen.addFooter(({ columns }) => ({ rows: [String(columns)] }));
    screen.resized();
    expect(written).toHaveLength(2);
    screen.clearFooters();
    expect(await shown()).toBe('');
  });
});
