/** A terminal that answers: the screen of an emulator, fed by a real pseudo-terminal, and the emulator's words typed into it. */
import headless from '@xterm/headless';
import { afterEach, describe, expect, it } from 'vitest';

import { switchedOn } from './support/terminal-modes.ts';
import { openTerminal, type Screen } from './support/terminal-pty.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let screen: Screen;
let emulator: headless.Terminal;

/** What the emulator says arrives `delayMs` later, in its order. */
async function open(options: object, delayMs: number, shell?: [string, ...string[]]): Promise<void> {
  emulator = new headless.Terminal({ cols: 100, rows: 30, allowProposedApi: true });
  const env = { OPTIONS: JSON.stringify(options), PROGRAM: 'echo "<at ease>"; read x' };
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

async function answered(keys: string, pattern: RegExp): Promise<void> {
  const from = screen.text().length;
  screen.type(keys);
  await screen.shows(pattern, from);
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
    await answered('[A', /<up>/);
    await pause(200);
    expect(screen.text()).not.toContain('<cancel');
    await answered('\x1b', /<cancel/);
    // The answer to this one is still on its way when the prompt opens.
    screen.type('\x1b');
    await pause(100);
    await answered('p', /<asking>/);
    await answered('yes\r', /<answer "yes">/);
    expect(screen.text()).toContain('<kill>');
  });

  it('S29 an answer that comes as the program exits is not left to the shell', async () => {
    const script = '"$NODE" "$FIXTURE" "$SCENE"; echo "<exit $?>"; read -r x; printf "<shell %s>" "$x" | cat -v';
    await open({ fence: true, escTimeoutMs: 50 }, 200, ['/bin/sh', '-c', script]);
    screen.type('\x1b');
    await pause(100);
    await answered('q', /<exit 7>/);
    await pause(250);
    await answered('ls\r', /<shell ls>/);
  });

  it('S29 the switches are off in a prompt, in a program and on again afterwards', async () => {
    await open({ focus: true, paste: true }, 0);
    const modes = async (): Promise<boolean[]> => {
      await new Promise<void>((resolve) => {
        emulator.write('', resolve);
      });
      return [emulator.modes.sendFocusMode, emulator.modes.bracketedPasteMode];
    };
    await answered('s', /<raw>/);
    expect(await modes()).toEqual([true, true]);
    await answered('p', /<asking>/);
    expect(await modes()).toEqual([false, false]);
    await answered('yes\r', /<answer "yes">/);
    await answered('h', /<at ease>/);
    expect(await modes()).toEqual([false, false]);
    await answered('x\r', /<back 0>/);
    await answered('f', /<focused undefined>/);
    screen.type('\x1b[O');
    await answered('f', /<focused false>/);
    await answered('\x1b[If', /<focused true>/);
    expect(await modes()).toEqual([true, true]);
    await answered('q', /<exit 7>/);
    expect([await modes(), switchedOn(screen.text())]).toEqual([[false, false], []]);
  });
});
