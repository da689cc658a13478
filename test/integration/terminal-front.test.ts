/** Who has the terminal when a program that had it is gone: we, where our shell has left it to us, and nobody else's job. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { findProgram } from './support/find-program.ts';
import { fixture, node, openTerminal, type Screen } from './support/terminal-pty.ts';

const bash = ['bash', '--norc', '--noprofile', '-i'] as const;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Row {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  /** The group that has the terminal. */
  readonly front: number;
}

function rowOf(pid: number): Row {
  const text = readFileSync(`/proc/${String(pid)}/stat`, 'latin1');
  const [state = '', ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [parent = 0, group = 0, , , front = 0] = fields.map(Number);
  return { state, parent, group, front };
}

function lives(pid: number): boolean {
  try {
    return rowOf(pid).state !== 'Z';
  } catch {
    return false;
  }
}

/** Runs `body`, and ends whatever is left. */
async function on(opened: Promise<Screen>, body: (screen: Screen) => Promise<void>): Promise<void> {
  const screen = await opened;
  try {
    await body(screen);
  } finally {
    await screen.close();
  }
}

/** A key reaches the watcher, and ESC stops the run. */
async function isOurs({ answered }: Screen): Promise<void> {
  await answered('s', /<raw>/);
  await answered('\x1b', /<cancel/);
}

describe.concurrent('S29 a terminal that holds the process open', () => {
  it.each([
    ['sent there', '"$NODE" "$FIXTURE" "nothing to do"\r', true],
    ['begun there', '"$NODE" "$FIXTURE" "nothing to do" &\r', false],
  ])('S29 does so in the background, %s, and is ours after fg', async (_name, start, isSent) => {
    const opened = openTerminal('', { PS1: '$ ', OPTIONS: '{"keepAlive":true}' }, bash);
    await on(opened, async (screen) => {
      await screen.shows(/\$ /);
      await screen.answered(start, /<ready>/);
      if (isSent) {
        await screen.answered('\x1a', /Stopped/);
        await screen.answered('bg\r', /FIXTURE.*&/);
      }
      await pause(1000);
      await screen.answered('jobs\r', /Running/);
      await screen.answered('fg\r', /FIXTURE/);
      await pause(600);
      await isOurs(screen);
    });
  });
});

describe.concurrent('S29 in one function that has the terminal', () => {
  it.each([
    ['program', 'program', 'kill -9 $$'],
    ['program', 'program', 'exec true'],
    ['program', 'a synchronous program', 'kill -9 $$'],
    ['program', 'a run', 'kill -9 $$'],
    ['program', 'a prompt', 'exec true'],
    ['a run', 'program', 'kill -9 $$'],
    ['a run', 'a prompt', 'kill -9 $$'],
    ['a synchronous program', 'program', 'kill -9 $$'],
    ['a synchronous program', 'a prompt', 'exec true'],
  ])('S29 behind a shell that was left, as %s, %s has it: %s', async (FIRST, SECOND, line) => {
    const PROGRAM = 'exec 2>&1; exec bash --norc --noprofile -i';
    await on(openTerminal('return', { PROGRAM, FIRST, SECOND, PS1: 'sh> ' }), async (screen) => {
      await screen.shows(/<ready>/);
      await screen.answered('\x1b[B', /sh> /);
      await screen.answered(`${line}\r`, new RegExp(`${line.slice(0, 4)}[^]*`));
      if (SECOND === 'a prompt') await screen.shows(/<asking>/);
      else await pause(500);
      await screen.answered('hello\r', SECOND === 'a prompt' ? /<answer "hello">/ : /<second hello>/);
      await screen.shows(/<both>/);
      await isOurs(screen);
    });
  });
});

describe.concurrent('S29 where nobody can give us the terminal', () => {
  it('S29 a program says that it is lost, and leads no silent life without keys', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'desist-path-'));
    try {
      for (const name of ['sh', 'bash', 'stty']) symlinkSync(findProgram(name) ?? '', join(folder, name));
      const env = { PATH: folder, PROGRAM: 'exec 2>&1; exec bash --norc --noprofile -i', PS1: 'sh> ' };
      await on(openTerminal('', env, [node, fixture, 'return']), async (screen) => {
        await screen.shows(/<ready>/);
        await screen.answered('h', /sh> /);
        await screen.answered('kill -9 $$\r', /<back SIGKILL>\s+<terminal lost>/);
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe.concurrent('S29 a program that was sent to the background', () => {
  const hasZsh = findProgram('zsh') !== undefined;

  /** The shell runs the end of a pipeline itself, in whose group nobody is left, and is too busy to look. */
  const busy = 'sleep 0.3 | for i in {1..600000}; do :; done; echo "<shell"$((1))">"\r';

  it.skipIf(!hasZsh).each([
    ['a run', 'j', /<ended SIGKILL/],
    ['handOver', 'h', /<back SIGKILL>/],
  ])('S29 leaves the terminal to its shell at the end of %s', async (_way, key, ended) => {
    const env = { PROMPT: '$ ', PROGRAM: 'echo "<pid $$>"; exec sleep 300' };
    await on(openTerminal('return', env, ['zsh', '-f', '-i']), async (screen) => {
      await screen.shows(/\$ /);
      await screen.answered('"$NODE" "$FIXTURE" return\r', /<ready>/);
      const [, found] = await screen.answered(key, /<pid (\d+)>/);
      const pid = Number(found);
      await screen.answered('\x1a', /suspended/);
      await screen.answered('bg\r', /continued/);
      const { parent: agent, front: shell } = rowOf(pid);
      await screen.answered(busy, /for i/);
      await expect.poll(() => rowOf(agent).front, { interval: 5 }).not.toBe(shell);
      const { front } = rowOf(agent);
      await expect.poll(() => lives(front), { interval: 5 }).toBe(false);
      process.kill(pid, 'SIGKILL');
      await screen.shows(ended);
      expect(rowOf(agent).front).not.toBe(rowOf(agent).group);
      await screen.shows(/<shell1>/);
      await screen.answered('\recho "<still"$((1))">"\r', /<still1>/);
    });
  });
});

describe.concurrent('S29 a program whose end comes while another has the terminal', () => {
  it('S29 puts the settings back that the other one found', async () => {
    const PROGRAM = 'stty raw -echo; echo "<in>"; kill $PPID; sleep 1';
    await on(openTerminal('return', { PROGRAM }), async (screen) => {
      await screen.shows(/<ready>/);
      await screen.answered('h', /<exit 143>/);
      const { before, after } = await screen.finish();
      expect(after).toBe(before);
    });
  });
});
