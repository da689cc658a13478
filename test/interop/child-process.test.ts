import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

import pty from '@lydell/node-pty';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, describe, expect, it } from 'vitest';

import { adopt, markedEnvironment } from '../../src/adapters/child-process/index.ts';
import { hostProcessTable } from '../../src/adapters/internal/process/tree-host.ts';
import type { AdoptableProcess } from '../../src/adapters/child-process/adopted-child.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { killAll, listenersOf, processesNamed, uniqueSleep } from '../integration/support/child-process-watch.ts';
import { majors } from './majors.ts';
import { limitMs } from '../support/limit.ts';

const tags: string[] = [];
function tag(): string {
  const name = uniqueSleep();
  tags.push(name);
  return name;
}
afterEach(() => {
  for (const name of tags.splice(0)) killAll(name);
});

/** Adopts, waits until everybody is in place, stops, and says how that went. */
async function stopAdopted(child: AdoptableProcess, t: string, count: number) {
  const source = new CancellationTokenSource();
  const adopted = adopt(child, { token: source.token, graceMs: 300 });
  await expect.poll(() => processesNamed(t).length).toBeGreaterThanOrEqual(count);
  const startedAt = performance.now();
  source.cancel('user');
  const result = await adopted;
  expect(performance.now() - startedAt).toBeLessThan(limitMs(1300));
  expect(result).toMatchObject({ stoppedBy: { kind: 'user' }, survivors: [], background: [] });
  expect(processesNamed(t)).toEqual([]);
  return result;
}

/** What each of them leaves alive when it is told to stop by itself. */
const tree = (t: string) => `sleep ${t} & sh -c "trap '' TERM; sleep ${t}; sleep ${t}" & sleep ${t}`;

/** Its own promise settles too, though nobody asks how. */
async function settles(promise: PromiseLike<unknown>): Promise<void> {
  let settled = false;
  const note = () => (settled = true);
  promise.then(note, note);
  await expect.poll(() => settled).toBe(true);
}

const loaded = await Promise.all(
  majors.map(async (major) => ({
    major: `${major.name}, ${major.version('execa')}`,
    execa: (await major.load<typeof import('execa')>('execa')).execa,
  })),
);
const [newest] = majors;
const { x } = await newest!.load<typeof import('tinyexec')>('tinyexec');
const { default: nanoSpawn } = await newest!.load<typeof import('nano-spawn')>('nano-spawn');
const { $: zx } = await newest!.load<typeof import('zx')>('zx');

describe.each(loaded)('execa $major', ({ execa }) => {
  it('S24 the tree goes, and the promise of execa settles', async () => {
    const t = tag();
    const subprocess = execa('sh', ['-c', tree(t)]);
    const end = settles(subprocess);
    await stopAdopted(subprocess, t, 4);
    await end;
  });

  it('S24 started in a group and with a marker: also a daemon that left both its group and its parents', async () => {
    const t = tag();
    const daemon = `(setsid sh -c "trap '' TERM; sleep ${t}; sleep ${t}" &)`;
    const subprocess = execa('sh', ['-c', `${daemon}; sleep ${t}`], { detached: true, env: markedEnvironment() });
    const end = settles(subprocess);
    await stopAdopted(subprocess, t, 3);
    await end;
  });

  it('an end of its own is told, and leaves nothing behind', async () => {
    const subprocess = execa('sh', ['-c', 'exit 3'], { reject: false });
    const before = listenersOf(process);
    const adopted = adopt(subprocess);
    expect(await adopted).toMatchObject({ exitCode: 3, signal: null, stoppedBy: undefined, survivors: [] });
    expect((await subprocess).exitCode).toBe(3);
    expect(listenersOf(process)).toBeLessThanOrEqual(before);
    // Adopted too late: its pid may be anybody's.
    expect(await adopt(subprocess as AdoptableProcess)).toMatchObject({ exitCode: 3, stoppedBy: undefined });
  });
});

it('S24 who was forked while the event loop was held up is stopped too', async () => {
  const t = tag();
  const child = spawn('sh', ['-c', `sleep 0.1; ${tree(t)}`], { stdio: 'ignore' });
  const source = new CancellationTokenSource();
  const adopted = adopt(child, { token: source.token, graceMs: 300 });
  // In the turn of the loop in which somebody has read the process table, before the forks.
  await hostProcessTable()?.look(Infinity);
  const until = performance.now() + limitMs(10_000);
  while (processesNamed(t).length < 4 && performance.now() < until);
  source.cancel('user');
  expect(await adopted).toMatchObject({ survivors: [] });
  expect(processesNamed(t)).toEqual([]);
});

describe('the others', () => {
  it('S24 tinyexec', async () => {
    const t = tag();
    const run = x('sh', ['-c', tree(t)]);
    const end = settles(run);
    await stopAdopted(run, t, 4);
    await end;
  });

  it('S24 nano-spawn', async () => {
    const t = tag();
    const run = nanoSpawn('sh', ['-c', tree(t)]);
    const end = settles(run);
    await stopAdopted(run as AdoptableProcess, t, 4);
    await end;
  });

  it('S24 zx', async () => {
    const t = tag();
    const run = zx({ quiet: true, nothrow: true })`sh -c ${tree(t)}`;
    const end = settles(run);
    await stopAdopted(run, t, 4);
    await end;
  });

  it('S24 node-pty, whose child leads a session of its own', async () => {
    const t = tag();
    const terminal = pty.spawn('sh', ['-c', `(setsid sleep ${t} &); ${tree(t)}`], {
      env: { ...process.env, ...markedEnvironment() },
    });
    const result = await stopAdopted(terminal, t, 5);
    expect(result).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
    await sleep(50);
  });

  it('node-pty tells its exit code', async () => {
    const terminal = pty.spawn('sh', ['-c', 'exit 4'], {});
    expect(await adopt(terminal)).toMatchObject({ exitCode: 4, signal: null, survivors: [] });
    await sleep(50);
  });

  it('S24 the stdio transport of an MCP client', async () => {
    const t = tag();
    const transport = new StdioClientTransport({ command: 'sh', args: ['-c', tree(t)] });
    let isClosed = false;
    transport.onclose = () => (isClosed = true);
    expect(() => adopt(transport)).toThrow(
      new TypeError('child has no pid: it was not started or has ended, got null'),
    );
    await transport.start();
    await stopAdopted(transport, t, 4);
    await expect.poll(() => isClosed).toBe(true);
  });
});
