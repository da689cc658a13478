import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { afterEach, expect, it, vi } from 'vitest';

import { PauseWatch } from '../../bench/trees/pause-watch.ts';
import { cancellableExec } from '../../src/adapters/child-process/index.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { killAll, processesNamed, uniqueSleep } from './support/child-process-watch.ts';
import { limitMs } from '../support/limit.ts';

const othersTag = uniqueSleep();
const others = 400;

/** Forks without an exec, so that hundreds cost next to nothing. */
const sleepers = `my $tag = '${othersTag}'; for (1..${String(others)}) { if (!fork) { sleep 1000; exit } } $| = 1; print "up\\n"; sleep 1000`;

afterEach(() => {
  vi.restoreAllMocks();
  killAll(othersTag);
});

// A process in the middle of its exec looks as if it had no environment, so such a one is looked at again.
it.each([1, 10])(
  'hundreds of unrelated processes without an environment, younger than %i commands, hold up nobody at their stop',
  async (count) => {
    const tag = uniqueSleep();
    const source = new CancellationTokenSource();
    const start = () => cancellableExec(`sleep ${tag} & echo up; sleep ${tag}`, { token: source.token, graceMs: 2000 });
    const runs = Array.from({ length: count }, start);
    await Promise.all(runs.map(({ stdout }) => once(stdout!, 'data')));
    const parent = spawn('/usr/bin/perl', ['-e', sleepers], { env: {}, stdio: ['ignore', 'pipe', 'ignore'] });
    await once(parent.stdout, 'data');

    const blocked = vi.spyOn(Atomics, 'wait');
    const watch = new PauseWatch();
    source.cancel('user');
    const results = await Promise.all(runs);
    watch.stop();
    expect(blocked).not.toHaveBeenCalled();
    expect(watch.pauseCpuMs).toBeLessThanOrEqual(limitMs(50));
    expect(results.map(({ survivors, stoppedBy }) => [survivors, stoppedBy?.kind])).toEqual(
      Array(count).fill([[], 'user']),
    );
    expect(processesNamed(tag)).toEqual([]);
    expect(processesNamed(othersTag)).toHaveLength(others + 1); // nobody of ours
  },
);
