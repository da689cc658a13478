import { beforeEach, describe, expect, it } from 'vitest';

import {
  TerminalSwitches,
  type SwitchName,
} from '../../../../../src/adapters/internal/keyboard/mode/terminal-switches.ts';

class Screen {
  isTTY = true;
  text = '';
  write(text: string): void {
    this.text += text.replaceAll('\x1b', '^');
  }
}

let screen: Screen;
let switches: TerminalSwitches;
beforeEach(() => {
  screen = new Screen();
  switches = new TerminalSwitches();
});

const wish = (names: readonly SwitchName[], fence = false, output = screen) =>
  switches.wish({ output, switches: names, fence });

describe('the switches of a terminal', () => {
  it('W1, W2 are on while the terminal is read, and off in the reverse order', () => {
    wish(['focus', 'paste', 'kitty', 'modifyOtherKeys']);
    expect(screen.text).toBe('');
    switches.set(true);
    switches.set(true);
    expect(screen.text).toBe('^[>5u^[>4;2m^[?2004h^[?1004h');
    screen.text = '';
    switches.set(false);
    switches.set(false);
    expect(screen.text).toBe('^[?1004l^[?2004l^[>4m^[<u');
  });

  it('W1 are on as long as one of several wants them', () => {
    const first = wish(['focus']);
    const second = wish(['focus', 'kitty']);
    switches.set(true);
    screen.text = '';
    first.release();
    expect(screen.text).toBe('');
    second.release();
    expect(screen.text).toBe('^[?1004l^[<u');
  });

  it('W2 are switched off where they were switched on', () => {
    const other = new Screen();
    const first = wish(['kitty'], false, other);
    switches.set(true);
    wish(['kitty']);
    first.release();
    switches.set(false);
    expect([other.text, screen.text]).toEqual(['^[>5u^[<u', '']);
  });

  it('W3 are nothing to what is no terminal', () => {
    screen.isTTY = false;
    wish(['kitty', 'focus'], true);
    switches.set(true);
    expect([screen.text, switches.ask(), switches.off]).toEqual(['', false, '']);
  });

  it('are not switched off once the terminal has gone', () => {
    wish(['kitty']);
    switches.set(true);
    screen.text = '';
    switches.forget();
    switches.set(false);
    expect(screen.text).toBe('');
  });

  it('ask for a sign only where that is wanted and the terminal is read', () => {
    const quiet = wish(['kitty']);
    switches.set(true);
    expect(switches.ask()).toBe(false);
    quiet.release();
    wish([], true);
    screen.text = '';
    expect([switches.ask(), screen.text]).toEqual([true, '^[5n']);
    switches.set(false);
    expect(switches.ask()).toBe(false);
  });

  it('say what would switch them off', () => {
    wish(['kitty']);
    wish(['focus']);
    expect(switches.off).toBe('\x1b[?1004l\x1b[<u');
  });

  it('survive a terminal that takes nothing', () => {
    switches.wish({
      output: {
        isTTY: true,
        write: () => {
          throw new Error('write EIO');
        },
      },
      switches: ['focus'],
      fence: true,
    });
    switches.set(true);
    expect(switches.ask()).toBe(true);
    switches.set(false);
  });
});
