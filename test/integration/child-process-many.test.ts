import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { PauseWatch } from '../../bench/trees/pause-watch.ts';
import { cancellableExec } from '../../src/adapters/child-process/index.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { killAll, processesNamed, uniqueSleep } from './support/child-process-watch.ts';
import { withoutCoreMs } from './support/without-core.ts';
import { limitMs } from '../support/limit.ts';

const unrelated = 5000;
const othersTag = uniqueSleep();

/** Forked without an exec, so that thousands cost little; half of them without an environment. */
const sleepers = `my $tag = '${othersTag}'; for (1..${String(unrelated / 2)}) { if (!fork) { sleep 1000; exit } } $| = 1; print "up\\n"; sleep 1000`;

beforeAll(async () => {
  for (const env of [process.env, {}]) {
    const parent = spawn('/usr/bin/perl', ['-e', sleepers], {
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(parent.stdout, 'data');
  }
}, 60_000);
afterAll(() => killAll(othersTag), 60_000);

// Three times slow is a stop that waits for something; once is a busy machine.
it(
  'S41 two hundred commands and one stop, beside 5,000 unrelated processes: no step over 50 ms, all settled in grace + 1 s',
  { retry: 2, timeout: 60_000 },
  async () => {
    const tag = uniqueSleep();
    const graceMs = 500;
    const source = new CancellationTokenSource();
    const line = `sleep ${tag} & echo up; sleep ${tag}`;
    const runs = Array.from({ length: 200 }, () => cancellableExec(line, { token: source.token, graceMs }));
    await Promise.all(runs.map(({ stdout }) => once(stdout!, 'data')));
    const watch = new PauseWatch();
    const [startedAt, waitedBefore] = [performance.now(), withoutCoreMs()];
    source.cancel('user');
    const results = await Promise.all(runs);
    const waited = withoutCoreMs() - waitedBefore;
    const tookMs = performance.now() - startedAt - waited;
    watch.stop();
    console.log(
      `200 commands beside ${String(unrelated)}: settled after ${tookMs.toFixed(0)} ms and ${waited.toFixed(0)} ms without a core, longest pause ${watch.pauseMs.toFixed(0)} ms, ${watch.pauseCpuMs.toFixed(0)} ms of it ours`,
    );
    expect(results.filter(({ survivors }) => survivors.length > 0)).toEqual([]);
    expect(processesNamed(tag)).toEqual([]);
    expect(processesNamed(othersTag)).toHaveLength(unrelated + 2);
    expect(watch.pauseCpuMs).toBeLessThanOrEqual(limitMs(50));
    expect(tookMs).toBeLessThan(graceMs + 1000);
  },
);
