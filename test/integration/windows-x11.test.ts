import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { hasDesktop, openDesktop, type Desktop } from '../support/desktop/desktop.ts';
import { limitMs } from '../support/limit.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const node = join(root, 'node_modules', '.bin', 'node');
const fixture = fileURLToPath(new URL('support/window-agent.ts', import.meta.url));

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The agent's end of a socket. */
class WindowAgent {
  /** Everything, in its order. */
  readonly said: string[] = [];
  readonly #socket: Socket;
  #heard = 0;
  #isLate = false;
  #waiting: (() => void)[] = [];

  constructor(socket: Socket) {
    this.#socket = socket;
    createInterface({ input: socket }).on('line', (line) => {
      this.said.push(line);
      for (const look of this.#waiting.splice(0)) look();
    });
    socket.on('error', () => undefined); // it was killed
  }

  /** The next line that begins so; what was said instead, if it never comes. */
  async hears(word: string): Promise<string> {
    const never = setTimeout(() => {
      this.#isLate = true;
      for (const look of this.#waiting.splice(0)) look();
    }, limitMs(60_000));
    try {
      return await this.#next(word);
    } finally {
      clearTimeout(never);
    }
  }

  async #next(word: string): Promise<string> {
    for (;;) {
      if (this.#isLate) throw new Error(`'${word}' never came: ${this.said.join(', ')}`);
      const at = this.said.findIndex((line, index) => index >= this.#heard && line.startsWith(word));
      if (at >= 0) {
        this.#heard = at + 1;
        return this.said[at] ?? '';
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async told(command: string, word: string): Promise<void> {
    this.#socket.write(`${command}\n`);
    await this.hears(word);
  }
}

/** Everybody who hears keys for a fixture of ours. */
function hooks(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
        return words.includes('uiohook-napi') && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(dir);
      } catch {
        return false;
      }
    })
    .map(Number);
}

let desktop: Desktop;
let other: string;
let dir: string;
let server: Server | undefined;
let pid = 0;
/** Each window has a title of its own: the one before may still be there. */
let agents = 0;

/** Starts an agent in a window of its own; `shell` wraps its command. */
async function start(
  parts: string,
  shell = 'exec "$0" "$@"',
): Promise<{ agent: WindowAgent; window: string; ready: string }> {
  const path = join(dir, 'socket');
  const connected = new Promise<Socket>((resolve) => {
    server = createServer(resolve).listen(path);
  });
  const command = ['/bin/sh', '-c', `echo $$ > "$DIR/pid"; ${shell}`, node, fixture, path, ...parts.split(' ')];
  const window = await desktop.open(`agent ${String((agents += 1))}`, command, { DIR: dir });
  const agent = new WindowAgent(await connected);
  const ready = await agent.hears('ready');
  pid = Number(readFileSync(join(dir, 'pid'), 'utf8'));
  return { agent, window, ready };
}

/** Kills the agent that was started last. */
async function end(): Promise<void> {
  if (pid !== 0) process.kill(pid, 'SIGKILL');
  pid = 0;
  const last = server;
  server = undefined;
  if (last !== undefined) await new Promise((resolve) => last.close(resolve));
}

describe.runIf(hasDesktop())('S31 in real windows', () => {
  beforeAll(async () => {
    desktop = await openDesktop();
    dir = await mkdtemp(join(tmpdir(), 'desist-windows-'));
    other = await desktop.open('another window', ['cat']);
  }, 60_000);

  afterEach(end);

  afterAll(async () => {
    await desktop.close();
    await rm(dir, { recursive: true, force: true });
  }, 60_000);

  it.each([
    ['a terminal', 'terminal', undefined],
    ['a hotkey', 'hotkey', 'exec "$0" "$@" < /dev/null'],
    ['both', 'terminal hotkey', undefined],
  ])(
    'S31 heard by %s, ESC stops the run once in our window, and nothing in another one or while a prompt waits',
    async (_, parts, shell) => {
      const { agent, window, ready } = await start(parts, shell);
      expect(ready).toBe(parts.includes('hotkey') ? 'ready watching' : 'ready without');
      const isHooked = parts.includes('hotkey');
      await desktop.focus(other);
      await desktop.press('Escape');
      if (isHooked) await agent.hears('focus false');
      await desktop.focus(window);
      await agent.told('prompt', 'asking');
      await desktop.press('Escape');
      if (isHooked) await agent.hears('gate');
      if (parts.includes('terminal')) {
        await desktop.press('Return');
        await agent.hears('answered');
      } else await agent.told('answer', 'answered');
      await desktop.press('Escape', 'Escape');
      await agent.hears('kill');
      // Whatever else a press had done would stand between these.
      const done = agent.said.filter((line) => !/^(?:ready|focus|gate)/.test(line));
      expect(done).toEqual(['asking', 'answered', 'cancel', 'kill']);
    },
  );

  it('S31 a key that is held down is one press of the hotkey', async () => {
    const { agent, window } = await start('hotkey', 'exec "$0" "$@" < /dev/null');
    await desktop.focus(window);
    await desktop.hold('Escape', 1_000); // the server repeats it from 660 ms on, 25 times a second
    await agent.hears('cancel');
    await agent.told('run', 'running');
    expect(agent.said.slice(1)).toEqual(['focus true', 'cancel', 'running']);
  });

  it('S31 stop ends the process that hears the keys, and so does our SIGKILL', async () => {
    const first = await start('hotkey');
    expect(hooks()).toHaveLength(1);
    await first.agent.told('stop', 'stopped');
    expect(hooks()).toEqual([]);
    await end();
    await start('hotkey');
    expect(hooks()).toHaveLength(1);
    await end();
    while (hooks().length > 0) await pause(20);
  });

  it('S31 a process of the hook that was killed is replaced, and keys are heard again', async () => {
    const { agent, window } = await start('hotkey', 'exec "$0" "$@" < /dev/null');
    await desktop.focus(window);
    process.kill(hooks()[0] ?? 0, 'SIGKILL');
    await agent.hears('watching');
    await desktop.press('Escape');
    await agent.hears('cancel');
    expect(hooks()).toHaveLength(1);
  });

  it('S31 the process of the hook ends with us also while the display does not answer', async () => {
    await start('hotkey');
    expect(hooks()).toHaveLength(1);
    desktop.freeze(true);
    try {
      await end();
      while (hooks().length > 0) await pause(20);
    } finally {
      desktop.freeze(false);
    }
  });

  it('S31 a press from while we were stopped was for the shell, and stops nothing when we go on', async () => {
    const { agent, window } = await start('hotkey', 'exec "$0" "$@" < /dev/null');
    await desktop.focus(window);
    process.kill(pid, 'SIGSTOP');
    await desktop.press('Escape', 'Escape');
    await pause(1500); // the hook has heard them
    process.kill(pid, 'SIGCONT');
    await agent.told('run', 'running');
    await desktop.press('Escape');
    await agent.hears('cancel');
    expect(agent.said.slice(1)).toEqual(['running', 'focus true', 'cancel']);
  });

  it('S31 a press in tmux, which holds it back for half a second, is one press', async () => {
    const tmux =
      'printf "set -g destroy-unattached on\\nset -sg escape-time 500\\n" > "$DIR/conf"; exec tmux -S "$DIR/tmux" -f "$DIR/conf" new-session "exec $0 $*"';
    const { agent, window } = await start('terminal hotkey', tmux);
    await desktop.focus(window);
    await desktop.press('Escape');
    await agent.hears('cancel');
    await agent.told('run', 'running');
    await pause(1000); // by then the other way of the same press has ended
    expect(agent.said.slice(1)).toEqual(['focus true', 'cancel', 'running']);
  });

  it('S31 a display that cannot be reached is told in one word', async () => {
    const { agent, ready } = await start('hotkey', 'DISPLAY=:65000 exec "$0" "$@"');
    expect(ready).toBe('ready unavailable no-display');
    expect(hooks()).toEqual([]);
    expect(agent.said).toHaveLength(1);
  });
});
