/** A terminal in memory, to compare what two streams leave on it, cell by cell. */
import unicode from '@xterm/addon-unicode11';
import headless, { type IBufferLine, type Terminal } from '@xterm/headless';

/** Makes one; the line discipline's `\n` to `\r\n` is on, as Node leaves it in raw mode. */
export function emulate(cols: number, rows: number): Terminal {
  const terminal = new headless.Terminal({ cols, rows, scrollback: 5000, convertEol: true, allowProposedApi: true });
  terminal.loadAddon(new unicode.Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  return terminal;
}

export function feed(terminal: Terminal, text: string): Promise<void> {
  return new Promise((resolve) => {
    terminal.write(text, resolve);
  });
}

/**
 * A cell that nothing was written to counts without its background: a terminal fills a row with it if the row is scrolled
 * in at the bottom, and does not if the row was there – which depends on what else was on the screen.
 */
function cells(line: IBufferLine): string[] {
  const shown: string[] = [];
  for (let x = 0; x < line.length; x++) {
    const cell = line.getCell(x);
    if (cell === undefined) continue;
    const style = [
      ...[cell.getFgColorMode(), cell.getFgColor(), cell.getBgColorMode(), cell.getBgColor()],
      ...[cell.isBold(), cell.isDim(), cell.isItalic(), cell.isUnderline(), cell.isInverse(), cell.isStrikethrough()],
    ];
    const isPlain = cell.getChars() === '' || style.every((value) => value === 0 || value === -1);
    shown.push(
      `${cell.getChars()}${cell.getWidth() === 1 ? '' : `w${String(cell.getWidth())}`}${isPlain ? '' : `{${style.join(' ')}}`}`,
    );
  }
  while (shown.at(-1) === '') shown.pop();
  return shown;
}

/** Every row, also those that have scrolled off, without the empty ones below; then where the cursor is. */
export function picture(terminal: Terminal): string {
  const { active } = terminal.buffer;
  const rows: string[] = [];
  for (let y = 0; y < active.length; y++) {
    const line = active.getLine(y);
    if (line !== undefined) rows.push(`${line.isWrapped ? '+' : '|'}${cells(line).join('·')}`);
  }
  while (rows.at(-1) === '|') rows.pop();
  return `${rows.join('\n')}\n@${String(active.baseY + active.cursorY)},${String(active.cursorX)}`;
}

/** Its text alone. */
export function textOf(terminal: Terminal): string {
  const { active } = terminal.buffer;
  const rows: string[] = [];
  for (let y = 0; y < active.length; y++) rows.push(active.getLine(y)?.translateToString(true) ?? '');
  return rows.join('\n').trimEnd();
}
