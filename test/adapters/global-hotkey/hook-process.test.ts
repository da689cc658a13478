import childProcess, { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';

import { startHook, type HookEvents, type HookProcess } from '../../../src/adapters/global-hotkey/hook-process.ts';
import { parseHotkey } from '../../../src/adapters/global-hotkey/key-names.ts';
import type { HotkeyUnavailable } from '../../../src/adapters/global-hotkey/unavailable.ts';
import { systemClock } from '../../../src/core/foundation/clock.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

let dir: string;
let heard: string[];
let problem: HotkeyUnavailable | undefined;
let running: HookProcess | undefined;
let notice: (word: string) => void;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'desist-hook-'));
  heard = [];
  running = undefined;
  notice = () => undefined;
});

afterEach(async () => {
  await running?.stop();
  // A process of a program that has ended may still write its last.
  await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

/** A package of this name, whose hook does what `start` says; the process around it is a real one. */
async function install(start: string): Promise<void> {
  const folder = join(dir, 'node_modules', 'uiohook-napi');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'index.js'),
    `const listeners = {}, key = { keycode: 1, ctrlKey: false, altKey: false, shiftKey: false, metaKey: false };
     require('node:fs').writeFileSync(${JSON.stringify(join(dir, 'pid'))}, String(process.pid));
     module.exports = { UiohookKey: { Escape: 1 }, uIOhook: { on: (event, fn) => { listeners[event] = fn }, start() { ${start} } } };`,
  );
}

const said = (word: string): Promise<void> =>
  new Promise((resolve) => {
    notice = () => {
      if (heard.includes(word)) resolve();
    };
    notice(word);
  });

function begin(clock = systemClock): HookProcess {
  const hear = (word: string) => (): void => {
    heard.push(word);
    notice(word);
  };
  const events: HookEvents = {
    ready: hear('ready'),
    down: hear('down'),
    ended: (why) => {
      problem = why;
      hear('ended')();
    },
  };
  running = startHook(
    { clock, combination: parseHotkey('escape'), places: [join(dir, 'main.js')], env: process.env },
    events,
  );
  return running;
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
const pidOf = async (): Promise<number> => Number(await readFile(join(dir, 'pid'), 'utf8'));

it('the process of the hook shakes hands, tells of the key, and is gone after stop', async () => {
  await install('setImmediate(() => { console.log("noise"); listeners.keydown(key); listeners.keyup(key) })');
  const hook = begin();
  await said('down');
  expect(heard).toEqual(['ready', 'down']);
  const pid = await pidOf();
  expect(isAlive(pid)).toBe(true);
  await Promise.all([hook.stop(), hook.stop()]);
  expect([isAlive(pid), heard.at(-1)]).toEqual([false, 'down']);
});

it('a package that is not there, one that throws and one that aborts are told apart', async () => {
  begin();
  await said('ended');
  expect(problem?.reason).toBe('no-package');

  await install('throw new Error("Failed to enable access for assistive devices.")');
  heard = [];
  begin();
  await said('ended');
  expect(problem?.reason).toBe('no-permission');

  await install('process.stderr.write("xrecord_start: XOpenDisplay failure!\\n"); process.abort()');
  heard = [];
  begin();
  await said('ended');
  expect(problem?.reason).toBe('no-display');
});

it('a process that dies after it was ready has ended without a problem', async () => {
  await install('setImmediate(() => process.kill(process.pid, "SIGKILL"))');
  begin();
  await said('ended');
  expect([heard, problem]).toEqual([['ready', 'ended'], undefined]);
});

it('a start that hangs is given up after 10 s', async () => {
  await install('process.stderr.write("hangs"); for (;;);');
  const clock = new VirtualClock();
  begin(clock);
  while (!(await pidOf().catch(() => 0))) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(9_999);
  expect(isAlive(await pidOf())).toBe(true);
  await clock.advance(1);
  await said('ended');
  expect(problem?.reason).toBe('failed');
});

it.runIf(process.platform === 'linux')(
  'a start that the system refuses at once is an event, and none after stop()',
  async () => {
    const env = { TOO_LONG: 'x'.repeat(300_000) };
    const options = { clock: new VirtualClock(), combination: parseHotkey('escape'), places: [], env };
    const [heard, unheard]: unknown[][] = [[], []];
    const into = (list: unknown[]) => ({ ready() {}, down() {}, ended: (why: unknown) => void list.push(why) });
    startHook(options, into(heard!));
    expect(heard).toEqual([]); // nobody could have listened yet
    await startHook(options, into(unheard!)).stop();
    await Promise.resolve();
    expect(heard).toMatchObject([{ reason: 'failed', message: expect.stringContaining('E2BIG') as unknown }]);
    expect(unheard).toEqual([]);
  },
);

/** Watches with the package that `install` has made, alone in a process. */
async function runAlone(body: string): Promise<{ readonly code: number | null; readonly text: string }> {
  const door = fileURLToPath(new URL('../../../src/adapters/global-hotkey/index.ts', import.meta.url));
  const program = `
    import { watchGlobalHotkey } from ${JSON.stringify(door)};
    const hotkey = watchGlobalHotkey({ cancel() {}, kill() {} }, { resolveFrom: ${JSON.stringify(join(dir, 'main.js'))} });
    ${body}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DISPLAY: ':1', WAYLAND_DISPLAY: '', XDG_SESSION_TYPE: '' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, text };
}

it('a program that waits for ready alone hears of it, and is not kept alive any longer', async () => {
  await install('');
  expect(await runAlone('console.log(await hotkey.ready);')).toEqual({ code: 0, text: 'watching\n' });
});

it('a program that does not wait for ready is not kept alive', async () => {
  await install('for (;;);');
  expect(await runAlone('console.log(hotkey.state);')).toEqual({ code: 0, text: 'starting\n' });
});

it('a start without descriptors is an event, and none after stop()', async () => {
  const spawned = vi.spyOn(childProcess, 'spawn');
  const [heard, unheard]: HotkeyUnavailable[][] = [[], []];
  const into = (list: unknown[]) => ({ ready() {}, down() {}, ended: (why: unknown) => void list.push(why) });
  const options = { clock: new VirtualClock(), combination: parseHotkey('escape'), places: [], env: {} };
  try {
    const children = [0, 1, 2, 3].map(() => Object.assign(new EventEmitter(), { unref: () => undefined }));
    for (const child of children) spawned.mockReturnValueOnce(child as never); // and those of the guardian
    startHook(options, into(heard!));
    await startHook(options, into(unheard!)).stop();
    for (const child of children) if (child.listenerCount('error') > 0) child.emit('error', new Error('spawn EMFILE'));
  } finally {
    spawned.mockRestore();
  }
  await Promise.resolve();
  await Promise.resolve();
  expect(heard).toMatchObject([{ reason: 'failed', message: expect.stringContaining('EMFILE') as unknown }]);
  expect(unheard).toEqual([]);
});

it('a press from while we were stopped is nobody’s, and one from after that counts', async () => {
  const before = process.listenerCount('SIGCONT');
  const pipes = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const child = Object.assign(new EventEmitter(), pipes, { pid: 1, ref() {}, unref() {}, kill() {} });
  const spawned = vi.spyOn(childProcess, 'spawn').mockReturnValue(child as never);
  const presses: string[] = [];
  const events = { ready: () => presses.push('ready'), down: () => presses.push('down'), ended: () => undefined };
  const options = { clock: new VirtualClock(), combination: parseHotkey('escape'), places: [], env: {} };
  const process_ = startHook(options, events);
  spawned.mockRestore();
  const say = (line: object): boolean => pipes.stdout.write(`${JSON.stringify(line)}\n`);
  const told = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  say({ type: 'ready' });
  say({ type: 'down', at: Date.now() - 3000 }); // read before the signal is told, as the event loop does
  await once(pipes.stdout, 'resume').catch(() => undefined);
  process.emit('SIGCONT');
  await told();
  expect(presses).toEqual(['ready']);
  say({ type: 'down', at: Date.now() + 1 });
  await told();
  expect(presses).toEqual(['ready', 'down']);
  const stopped = process_.stop();
  child.emit('close', 0, null);
  await stopped;
  expect(process.listenerCount('SIGCONT')).toBe(before);
});

it.runIf(process.platform === 'linux').each([
  ['for (;;);', 'in its start', ''],
  [
    'for (;;);',
    'the moment it was started',
    "writeFileSync(pidFile, String(child.pid)); process.kill(process.pid, 'SIGKILL');",
  ],
  ['', 'in its start', ''],
])(
  'the process of a hook that starts with %o does not outlive a SIGKILL of ours, %s',
  async (start, _when, afterSpawn) => {
    await install(start);
    const source = fileURLToPath(new URL('../../../src/adapters/global-hotkey/hook-process.ts', import.meta.url));
    const nothing = 'ready() {}, down() {}, ended() {}';
    const program = `
      import childProcess from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      const pidFile = ${JSON.stringify(join(dir, 'pid'))};
      const { spawn } = childProcess;
      childProcess.spawn = (...args) => {
        const child = spawn(...args);
        if (args[1].join().includes('function hook')) { ${afterSpawn} }
        return child;
      };
      import { startHook } from ${JSON.stringify(source)};
      import { systemClock as clock } from ${JSON.stringify(fileURLToPath(new URL('../../../src/core/foundation/clock.ts', import.meta.url)))};
      startHook({ clock, combination: ${JSON.stringify(parseHotkey('escape'))}, places: [${JSON.stringify(join(dir, 'main.js'))}], env: process.env }, { ${nothing} });
      setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' });
    let pid = 0;
    while (pid === 0) pid = await pidOf().catch(() => 0);
    parent.kill('SIGKILL');
    if (parent.signalCode === null) await once(parent, 'exit');
    while (isAlive(pid)) await new Promise((resolve) => setImmediate(resolve)); // the limit of the test is its limit
    expect(isAlive(pid)).toBe(false);
  },
);
