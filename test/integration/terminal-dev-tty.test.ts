/** A terminal that was opened by the name that each program has for its own: `process.stdin` may be a pipe meanwhile. */
import { afterEach, describe, expect, it } from 'vitest';

import { openTerminal, type Screen } from './support/terminal-pty.ts';

let screen: Screen;

async function open(scene: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  screen = await openTerminal(scene, { DEV_TTY: '1', ...env });
  await screen.shows(/<ready>/);
}

describe('S29 /dev/tty', () => {
  afterEach(async () => {
    await screen.close();
  });

  it.each([
    ['close', 0],
    ['return', 0],
    ['exit', 7],
    ['SIGTERM', 143],
  ])('S29 /dev/tty is restored and keeps nothing alive after %s, and the exit code is %i', async (scene, code) => {
    await open(scene);
    await screen.answered('\x1b', /<cancel/);
    await screen.answered('s', /<raw>/);
    await screen.answered('q', new RegExp(`<exit ${String(code)}>`));
    const { before, after } = await screen.finish();
    expect(before).toContain(' icanon');
    expect(after).toBe(before);
  });

  it.each([
    ['SIGKILL', 137],
    ['abort', 134],
  ])('S29 /dev/tty is restored by the crash guard after %s as well', async (scene, code) => {
    await open(scene, { GUARD: '1', SETTLE: '1' });
    await screen.answered('s', /<raw>/);
    await screen.answered('q', new RegExp(`<exit ${String(code)}>`));
    const { before, after } = await screen.finish();
    expect(before).toContain(' icanon');
    expect(after).toBe(before);
  });

  it('S29 /dev/tty leaves the keys to a program that has the terminal and reads late', async () => {
    await open('return', { PROGRAM: 'echo "<begun>"; sleep 0.3; read x; echo "<read $x>"' });
    await screen.answered('h', /<begun>/);
    await screen.answered('one\r', /<read one>/);
    await screen.shows(/<back 0>/);
    await screen.answered('s', /<raw>/);
    await screen.answered('\x1b', /<cancel/);
  });

  it('S29 /dev/tty is read by a prompt, typed ahead or not, and by us again', async () => {
    await open('return');
    screen.type('abc\r');
    await screen.answered('p', /<answer "abc">/);
    await screen.answered('p', /<asking>/);
    await screen.answered('yes\r', /<answer "yes">/);
    await screen.answered('s', /<raw>/);
  });

  it('S29 /dev/tty keeps nothing alive when a prompt ends after the watcher', async () => {
    await open('close in a prompt');
    await screen.answered('p', /<asking>/);
    await screen.answered('\x03', /<prompt interrupted>/); // here it is closed
    await screen.answered('yes\r', /<answer "yes">\s+<exit 0>/);
  });
});
