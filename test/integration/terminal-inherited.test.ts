/** A program that is started with our standard input, by the door of child processes: the watcher lends it the terminal. */
import { afterEach, describe, expect, it } from 'vitest';

import { openTerminal, type Screen } from './support/terminal-pty.ts';

let screen: Screen;
afterEach(() => screen.close());

async function open(env: Readonly<Record<string, string>> = {}): Promise<void> {
  screen = await openTerminal('return', env);
  await screen.shows(/<ready>/);
}

/** The terminal is watched again, and at the end it is as it was. */
async function isOursAgain(): Promise<void> {
  expect(screen.text()).not.toContain('<cancel');
  await screen.answered('s', /<raw>/);
  await screen.answered('\x1b', /<cancel/);
  await screen.answered('q', /<exit 0>/);
  const { before, after, stderr } = await screen.finish();
  expect({ after, stderr }).toEqual({ after: before, stderr: '' });
}

describe('S29 a program with inherited stdin', () => {
  it('S29 has the terminal in line mode, ESC and all, and we read again afterwards', async () => {
    await open({ PROGRAM: 'stty -a | grep -o -- "-\\?icanon" | sed "s/^/mode /"; read x; echo "<read $x>"' });
    await screen.answered('j', /mode icanon/);
    await screen.answered('\x1bhello\r', /<read \x1bhello>/);
    await screen.shows(/<ended 0, by itself>/);
    await isOursAgain();
  });

  it('S29 reads from /dev/tty as well, as ssh and sudo do', async () => {
    await open({ PROGRAM: 'echo "<asks>"; read x < /dev/tty; echo "<read $x>"' });
    await screen.answered('j', /<asks>/);
    await screen.answered('\x1bsecret\r', /<read \x1bsecret>/);
    await screen.shows(/<ended 0, by itself>/);
    await isOursAgain();
  });

  it('S29 such as vim can be used and left, and ESC in it stops nothing', async () => {
    await open({ PROGRAM: 'vim -u NONE -N --cmd "set timeout ttimeoutlen=20" "$DIR/text"' });
    await screen.answered('j', /\[New\]|VIM|~/);
    await screen.answered('ihello', /INSERT/);
    await screen.answered('\x1b', /\x1b\[\d+;1H\x1b\[K|\s{10}/); // "-- INSERT --" is wiped
    await screen.answered(':wq\r', /<ended 0, by itself>/);
    await isOursAgain();
  });

  it('S29 leaves no ESC behind that was typed for it and that it has not read', async () => {
    await open({ PROGRAM: 'echo "<builds>"; sleep 2' });
    await screen.answered('j', /<builds>/);
    screen.type('\x1b');
    await screen.shows(/<ended 0, by itself>/);
    await screen.answered('s', /<raw>/);
    await isOursAgain();
  });

  it('S29 has Ctrl+C for itself', async () => {
    await open({ PROGRAM: 'echo "<asks>"; read x; echo never' });
    await screen.answered('j', /<asks>/);
    await screen.answered('\x03', /<ended SIGINT, by itself>/);
    await isOursAgain();
  });

  it('S29 gives the terminal back when it could not be started', async () => {
    await open({ CWD: '/no/such/folder' });
    await screen.answered('j', /<ENOENT>/);
    await isOursAgain();
  });

  it('S29 gives it back when it is stopped by force, and leaves the next one the mode that was found', async () => {
    const hostile = 'trap "" TERM; touch "$DIR/once"; stty raw -echo; echo "<asks>"; while :; do sleep 1; done';
    const LIMIT = '700';
    await open({
      LIMIT,
      PROGRAM: `if [ -e "$DIR/once" ]; then stty -a > "$DIR/second"; cmp "$DIR/second" "$DIR/before" && echo "<alike>"; else ${hostile}; fi`,
    });
    await screen.answered('j', /<asks>/);
    screen.type('\x1b');
    await screen.shows(/<ended SIGKILL, deadline>/);
    await screen.answered('j', /<ended 0, by itself>/);
    expect(screen.text()).toContain('<alike>');
    await isOursAgain();
  });

  it('S29 does not get it without inherited stdin, not even by the name of /dev/tty: it would take our ESC', async () => {
    await open({ NO_INPUT: 'yes', PROGRAM: 'echo "<looks>"; (read x < /dev/tty) 2>&1 || echo "<none>"; sleep 1' });
    await screen.answered('j', /<looks>/);
    await screen.shows(/<none>/);
    await screen.answered('\x1b', /<cancel/); // while it runs
    await screen.shows(/<ended 0, by itself>/);
  });

  it('S29 does not get it with `detached`, which is for servers', async () => {
    await open({ DETACHED: 'yes', PROGRAM: 'echo "<serves>"; sleep 0.5' });
    await screen.answered('j', /<serves>/);
    await screen.answered('s', /<raw>/);
    await screen.shows(/<ended 0, by itself>/);
    await isOursAgain();
  });
});
