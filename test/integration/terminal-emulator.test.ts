/** A terminal that answers: the screen of an emulator, fed by a real pseudo-terminal, and the emulator's words typed into it. */
import headless from '@xterm/headless';
import { afterEach, describe, expect, it } from 'vitest';

import { switchedOn } from './support/terminal-modes.ts';
import { openTerminal, type Screen } from './support/terminal-pty.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let screen: Screen;
let emulator: headless.Terminal;

/** What the emulator says arrives `delayMs` later, in its order. */
async function open(
  options: object,
  delayMs: number,
  shell?: [string, ...string[]],
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  emulator = new headless.Terminal({ cols: 100, rows: 30, allowProposedApi: true });
  const env = { OPTIONS: JSON.stringify(options), PROGRAM: 'echo "<at ease>"; read x', ...more };
  screen = await openTerminal('exit', env, shell);
  screen.onData((data) => {
    emulator.write(data);
  });
  emulator.onData((data) => {
    setTimeout(() => {
      screen.type(data);
    }, delayMs);
  });
  await screen.shows(/<ready>/);
}

describe('S29 in a terminal that answers', () => {
  afterEach(async () => {
    await screen.close();
    emulator.dispose();
  });

  it('S29 a fence tells an arrow key that is cut in two by 300 ms from an ESC, and its answer is nobody\u2019s key', async () => {
    await open({ fence: true, escTimeoutMs: 50, escape: 'tiered' }, 400);
    screen.type('\x1b');
    await pause(300);
    await screen.answered('[A', /<up>/);
    await pause(200);
    expect(screen.text()).not.toContain('<cancel');
    await screen.answered('\x1b', /<cancel/);
    // The answer to this one is still on its way when the prompt opens.
    screen.type('\x1b');
    await pause(100);
    await screen.answered('p', /<asking>/);
    await screen.answered('yes\r', /<answer "yes">/);
    expect(screen.text()).toContain('<kill>');
  });

  const hostile = [1049, 1000, 1003, 1006, 2004, 1004, 2026].map((mode) => `\\033[?${String(mode)}h`).join('');
  const look = () => {
    const { mouseTrackingMode, bracketedPasteMode, sendFocusMode, synchronizedOutputMode } = emulator.modes;
    const { type, cursorX, cursorY } = emulator.buffer.active;
    return { type, at: [cursorX, cursorY], modes: [mouseTrackingMode, bracketedPasteMode, sendFocusMode, synchronizedOutputMode] }; // prettier-ignore
  };
  const drawn = () => new Promise<void>((resolve) => { emulator.write('', resolve); }); // prettier-ignore

  it('S29 a program that is killed leaves the screen as it was before the program', async () => {
    const program = `printf '${hostile}\\033[?25l\\033[>1u\\033[10;10H<deaf>'; trap "" TERM; while :; do sleep 1; done`;
    await open({ focus: true }, 0, undefined, { LIMIT: '500', PROGRAM: program });
    await screen.answered('j', /<deaf>/);
    await drawn();
    expect(look()).toMatchObject({ type: 'alternate', modes: ['any', true, true, true] });
    await screen.shows(/<ended SIGKILL, deadline>/);
    await drawn();
    // The focus is what we want to be told of ourselves.
    expect(look()).toMatchObject({ type: 'normal', modes: ['none', false, true, false] });
    expect(emulator.buffer.active.getLine(0)?.translateToString(true)).toBe('<ready>');
    expect(emulator.buffer.active.getLine(1)?.translateToString(true)).toBe('<ended SIGKILL, deadline>');
    expect(screen.text().lastIndexOf('\x1b[?25h')).toBeGreaterThan(screen.text().lastIndexOf('\x1b[?25l'));
    await screen.answered('\x1b', /<cancel/);
  });

  it('S29 a program that is killed with ours leaves the screen, and the settings, as they were', async () => {
    const program = `printf '${hostile}\\033[10;10H<deaf>'; stty raw -echo; trap "" TERM; kill -TERM $PPID; sleep 9`;
    await open({}, 0, undefined, { PROGRAM: program });
    await screen.answered('j', /<deaf>/);
    await screen.shows(/<exit 143>/);
    await drawn();
    expect(look()).toMatchObject({ type: 'normal', modes: ['none', false, false, false] });
    const { before, after } = await screen.finish();
    expect(after).toBe(before);
  });

  it('S29 a program that wrote lines and is killed moves nothing on the screen', async () => {
    await open({}, 0, undefined, { LIMIT: '500', PROGRAM: 'echo "<one>"; echo "<two>"; sleep 9' });
    await screen.answered('j', /<ended SIGTERM, deadline>/);
    await drawn();
    const lines = [0, 1, 2, 3].map((row) => emulator.buffer.active.getLine(row)?.translateToString(true));
    expect(lines).toEqual(['<ready>', '<one>', '<two>', '<ended SIGTERM, deadline>']);
  });

  it('S29 a program that ends by itself keeps what it has left on', async () => {
    await open({}, 0, undefined, { PROGRAM: `printf '\\033[?1000h'; exit 3` });
    await screen.answered('j', /<ended 3, by itself>/);
    await drawn();
    expect(look().modes[0]).toBe('vt200');
  });

  it('S29 an answer that comes as the program exits is not left to the shell', async () => {
    const script = '"$NODE" "$FIXTURE" "$SCENE"; echo "<exit $?>"; read -r x; printf "<shell %s>" "$x" | cat -v';
    await open({ fence: true, escTimeoutMs: 50 }, 200, ['/bin/sh', '-c', script]);
    screen.type('\x1b');
    await pause(100);
    await screen.answered('q', /<exit 7>/);
    await pause(250);
    await screen.answered('ls\r', /<shell ls>/);
  });

  it('S29 the switches are off in a prompt, in a program and on again afterwards', async () => {
    await open({ focus: true, paste: true }, 0);
    const modes = async (): Promise<boolean[]> => {
      await new Promise<void>((resolve) => {
        emulator.write('', resolve);
      });
      return [emulator.modes.sendFocusMode, emulator.modes.bracketedPasteMode];
    };
    await screen.answered('s', /<raw>/);
    expect(await modes()).toEqual([true, true]);
    await screen.answered('p', /<asking>/);
    expect(await modes()).toEqual([false, false]);
    await screen.answered('yes\r', /<answer "yes">/);
    await screen.answered('h', /<at ease>/);
    expect(await modes()).toEqual([false, false]);
    await screen.answered('x\r', /<back 0>/);
    await screen.answered('f', /<focused undefined>/);
    screen.type('\x1b[O');
    await screen.answered('f', /<focused false>/);
    await screen.answered('\x1b[If', /<focused true>/);
    expect(await modes()).toEqual([true, true]);
    await screen.answered('q', /<exit 7>/);
    expect([await modes(), switchedOn(screen.text())]).toEqual([[false, false], []]);
  });
});
