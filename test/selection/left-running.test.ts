/** A run of tests that leaves a process behind is red, and the process does not outlive it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';

import { describe, expect, it } from 'vitest';

import { endLeftRunning, RUN_MARK } from '../../scripts/gates/left-running.ts';

function start(mark: string, command: string): ChildProcess {
  return spawn('/bin/sh', ['-c', command], {
    env: { [RUN_MARK]: mark, PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

describe.runIf(process.platform === 'linux')('what a run of tests has started', () => {
  it('a process that lives on is named and ended, also one of a session of its own', async () => {
    const mark = randomUUID();
    const child = start(mark, 'setsid sleep 300 & echo begun; wait');
    const end = once(child, 'exit');
    await once(child.stdout ?? child, 'data');
    const left = await endLeftRunning(mark, 0);
    expect(left).toHaveLength(2);
    expect(left).toContainEqual(expect.stringMatching(/sleep 300$/));
    expect(await end).toEqual([null, 'SIGKILL']);
    expect(await endLeftRunning(mark, 60_000)).toEqual([]);
  });

  it('a process that ends by itself meanwhile is no fault, nor is one of another run', async () => {
    const [mine, other] = [randomUUID(), randomUUID()];
    const children = [start(mine, 'exec sleep 0.3'), start(other, 'exec sleep 300')];
    await Promise.all(children.map((child) => once(child, 'spawn')));
    expect(await endLeftRunning(mine, 60_000)).toEqual([]);
    const end = once(children[1] ?? process, 'exit');
    expect(await endLeftRunning(other, 0)).toEqual([expect.stringMatching(/sleep 300/)]);
    await end;
  });
});
