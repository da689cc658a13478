/**
 * A desktop of our own: an X server without a screen, a window manager, and a person's hands.
 *
 * @module
 */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

const programs = ['Xvfb', 'openbox', 'xterm', 'xdotool', 'xprop'] as const;

/** One desktop. */
export interface Desktop {
  /** The environment of a program that shows itself there. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Opens a terminal window that runs a command; resolves with the window's number once it is shown. */
  open(title: string, command: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
  /** Puts a window in front, and waits until the person's keys go there. */
  focus(window: string): Promise<void>;
  /** Presses keys in whichever window is in front, 150 ms apart. */
  press(...keys: readonly string[]): Promise<void>;
  /** Holds a key down. */
  hold(key: string, ms: number): Promise<void>;
  /** Has the display answer nobody, until it goes on. */
  freeze(isFrozen: boolean): void;
  close(): Promise<void>;
}

/** Whether there is all that a desktop takes; in CI there has to be. */
export function hasDesktop(): boolean {
  const missing = programs.filter((name) => {
    try {
      execFileSync('/bin/sh', ['-c', `command -v ${name}`], { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  });
  if (missing.length === 0) return true;
  if ((process.env['CI'] ?? process.env['TEST_EVERYTHING']) !== undefined)
    throw new Error(`${missing.join(', ')}: missing`);
  process.stderr.write(`${missing.join(', ')}: missing, so nothing is tested in real windows\n`);
  return false;
}

const run = promisify(execFile);

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Asks again until the answer is there; whoever would have given it may have ended. */
async function until<T>(child: ChildProcess, ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${child.spawnfile} has ended: ${String(child.exitCode ?? child.signalCode)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Starts it, and waits until windows can be managed. */
export async function openDesktop(): Promise<Desktop> {
  // A server that begins anew when its last client leaves turns away the one that is just coming.
  const options = ['-displayfd', '3', '-screen', '0', '1024x768x24', '-nolisten', 'tcp', '-noreset'];
  const server = spawn('Xvfb', options, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  let number = '';
  server.stdio[3]?.on('data', (text: Buffer) => (number += String(text)));
  await until(server, () => Promise.resolve(number.endsWith('\n') ? number : undefined));
  const { WAYLAND_DISPLAY: _1, XDG_SESSION_TYPE: _2, WINDOWID: _3, XAUTHORITY: _4, ...inherited } = process.env;
  const env = { ...inherited, DISPLAY: `:${number.trim()}` };
  const manager = spawn('openbox', [], { env, stdio: 'ignore' });
  const windows: ChildProcess[] = [];
  const close = async (): Promise<void> => {
    for (const child of [...windows, manager, server]) await end(child);
  };

  const xdotool = async (...args: readonly string[]): Promise<string> =>
    (await run('xdotool', [...args], { env, timeout: 10_000 })).stdout.trim();

  /** The window manager has taken over once it names itself. */
  const managed = async (): Promise<true | undefined> =>
    (await run('xprop', ['-root', '_NET_SUPPORTING_WM_CHECK'], { env })).stdout.includes('0x') || undefined;
  try {
    await until(manager, managed);
  } catch (error) {
    await close();
    throw error;
  }

  return {
    env,
    open: async (title, command, extra = {}) => {
      const terminal = spawn('xterm', ['-T', title, '-e', ...command], { env: { ...env, ...extra }, stdio: 'ignore' });
      windows.push(terminal);
      return until(terminal, async () => {
        // Another window that goes while it is looked at is an error of xdotool.
        const found = await xdotool('search', '--onlyvisible', '--name', `^${title}$`).catch(() => '');
        return found.split('\n').find((window) => window !== '');
      });
    },
    focus: async (window) => {
      await xdotool('windowactivate', '--sync', window);
    },
    press: async (...keys) => {
      await xdotool('key', '--delay', '150', ...keys);
    },
    hold: async (key, ms) => {
      await xdotool('keydown', key);
      await new Promise((resolve) => setTimeout(resolve, ms));
      await xdotool('keyup', key);
    },
    freeze: (isFrozen) => {
      server.kill(isFrozen ? 'SIGSTOP' : 'SIGCONT');
    },
    close,
  };
}
