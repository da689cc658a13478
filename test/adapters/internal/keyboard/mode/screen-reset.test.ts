import headless from '@xterm/headless';
import { describe, expect, it } from 'vitest';

import { screenReset } from '../../../../../src/adapters/internal/keyboard/mode/screen-reset.ts';

/** What an emulator makes of a text. */
async function after(text: string) {
  const emulator = new headless.Terminal({ cols: 20, rows: 5, allowProposedApi: true });
  await new Promise<void>((resolve) => {
    emulator.write(text, resolve);
  });
  const { active } = emulator.buffer;
  const seen = {
    modes: { ...emulator.modes },
    screen: active.type,
    at: [active.cursorX, active.cursorY],
    lines: [0, 1, 2].map((row) => active.getLine(row)?.translateToString(true)),
  };
  emulator.dispose();
  return seen;
}

describe('the reset of a screen', () => {
  it('the reset of a screen changes nothing where nothing was on', async () => {
    expect(await after(`one\r\ntwo${screenReset}`)).toEqual(await after('one\r\ntwo'));
  });

  it('the reset of a screen undoes what a program has switched on, and goes back to where it began', async () => {
    const modes = [1, 1000, 1002, 1003, 1006, 1004, 2004, 2026].map((mode) => `\x1b[?${String(mode)}h`).join('');
    const program = `${modes}\x1b=\x1b[?1049h\x1b[>1u\x1b[?25l\x1b[31m\x1b[4;4Hdeaf`;
    expect((await after(`one\r\n${program}`)).screen).toBe('alternate');
    expect(await after(`one\r\n${program}${screenReset}`)).toEqual(await after('one\r\n'));
  });

  it('the reset of a screen shows the cursor, and ends what Kitty and xterm do to keys where that was begun', () => {
    expect(screenReset).toContain('\x1b[?25h');
    const [keys, main] = [screenReset.indexOf('\x1b[<u\x1b[>4m'), screenReset.indexOf('\x1b[?1049l')];
    expect([keys >= 0, keys < main]).toEqual([true, true]);
  });
});
