/** A terminal that was opened by the name that each program has for its own: `process.stdin` may be a pipe meanwhile. */
import { afterEach, describe, expect, it } from 'vitest';

import { openTerminal, type Screen } from './support/terminal-pty.ts';

let screen: Screen;

async function open(scene: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  screen = await openTerminal(scene, { DEV_TTY: '1', ...env });
  await screen.shows(/<ready>/);
}

async function answered(keys: string, pattern: RegExp): Promise<void> {
  const from = screen.text().length;
  screen.type(keys);
  await screen.shows(pattern, from);
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
    await answered('\x1b', /<cancel/);
    await answered('s', /<raw>/);
    await answered('q', new RegExp(`<exit ${String(code)}>`));
    const { before, after } = await screen.finish();
    expect(before).toContain(' icanon');
    expect(after).toBe(before);
  });

  it.each([
    ['SIGKILL', 137],
    ['abort', 134],
  ])('S29 /dev/tty is restored by the crash guard after %s as well', async (scene, code) => {
    await open(scene, { GUARD: '1', SETTLE: '1' });
    await answered('s', /<raw>/);
    await answered('q', new RegExp(`<exit ${String(code)}>`));
    const { before, after } = await screen.finish();
    expect(before).toContain(' icanon');
    expect(after).toBe(before);
  });

  it('S29 /dev/tty leaves the keys to a program that has the terminal and reads late', async () => {
    await open('return', { PROGRAM: 'echo "<begun>"; sleep 0.3; read x; echo "<read $x>"' });
    await answered('h', /<begun>/);
    await answered('one\r', /<read one>/);
    await screen.shows(/<back 0>/);
    await answered('s', /<raw>/);
    await answered('\x1b', /<cancel/);
  });

  it('S29 /dev/tty is read by a prompt, typed ahead or not, and by us again', async () => {
    await open('return');
    screen.type('abc\r');
    await answered('p', /<answer "abc">/);
    await answered('p', /<asking>/);
    await answered('yes\r', /<answer "yes">/);
    await answered('s', /<raw>/);
  });

  it('S29 /dev/tty keeps nothing alive when a prompt ends after the watcher', async () => {
    await open('close in a prompt');
    await answered('p', /<asking>/);
    await answered('\x03', /<prompt interrupted>/); // here it is closed
    await answered('yes\r', /<answer "yes">\s+<exit 0>/);
  });
});
