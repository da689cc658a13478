import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { TaskkillFamily, taskkillPath } from '../../src/adapters/internal/process/taskkill-tree.ts';
import { listenersOf } from './support/child-process-watch.ts';

/** Elsewhere its full path is only a name, so a program of that name on the PATH stands in for it. */
const tool = taskkillPath({});
let folder: string;
let leader: ChildProcess;
/** Before the leader was started. */
let before: unknown[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'desist-taskkill-'));
  vi.stubEnv('SystemRoot', undefined);
  vi.stubEnv('PATH', `${folder}:${String(process.env['PATH'])}`);
  before = held();
  leader = spawn('sleep', ['600'], { stdio: 'ignore' });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  leader.kill('SIGKILL');
  // Else its handle would be among those of the next test.
  await expect.poll(isEnded).toBe(true);
  await rm(folder, { recursive: true });
});

async function install(script: string, mode = 0o755): Promise<void> {
  await writeFile(join(folder, tool), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, tool), mode);
}

const isEnded = (): boolean => leader.exitCode !== null || leader.signalCode !== null;
/** What a failed tool must not leave: handles of processes, pipes, timers, and listeners on this process. */
function held(): unknown[] {
  const kept = process.getActiveResourcesInfo().filter((name) => !/Immediate|FSReq/.test(name));
  return [kept.sort(), listenersOf(process)];
}

const failures: [string, (() => Promise<void>) | undefined, boolean][] = [
  ['is not there', undefined, true],
  ['may not be run', () => install('exit 0', 0o644), true],
  ['says no', () => install('echo "ERROR: The process with PID 812 could not be terminated." >&2; exit 1'), true],
  ['says more than is read', () => install('head -c 3000000 /dev/zero >&2; exit 1'), true],
  ['says that there is nobody', () => install('exit 128'), false],
  ['hangs', () => install('exec sleep 60'), true],
];

describe.skipIf(process.platform === 'win32')('a taskkill that fails', () => {
  it.each(failures)('leaves nothing behind, nor the leader: one that %s', { timeout: 60_000 }, async (...row) => {
    const [, prepare, endsLeader] = row;
    await prepare?.();
    const family = new TaskkillFamily(leader.pid!);
    expect(family.signal()).toBe('all');
    await family.look();
    if (endsLeader) await expect.poll(isEnded).toBe(true);
    else expect(isEnded()).toBe(false);
    leader.kill('SIGKILL');
    await expect.poll(isEnded).toBe(true);
    await expect.poll(held).toEqual(before);
  });

  it.each(failures.slice(0, 5))('leaves nothing at the end of our own process: one that %s', async (_, prepare) => {
    await prepare?.();
    const beside = held();
    expect(new TaskkillFamily(leader.pid!).killNow()).toBe('nobody');
    expect(held()).toEqual(beside);
  });
});
