/** G23: one stop beside many processes of others, half of them without an environment. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { CancellationTokenSource } from 'desist';
import { cancellableExec } from 'desist/child-process';
import { median } from '../harness.ts';
import { PauseWatch } from '../trees/pause-watch.ts';
import type { Workload } from '../workload.ts';

/** Forked without an exec, so that thousands cost little; they end with their parent. */
function sleepers(count: number, env: NodeJS.ProcessEnv): ChildProcess {
  const program = `$p = $$; for (1..${String(count)}) { if (!fork) { sleep 1 while getppid == $p; exit } } $| = 1; print "up\\n"; sleep 600`;
  return spawn('/usr/bin/perl', ['-e', program], { env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
}

async function beside(count: number, times: number): Promise<{ readonly cpuMs: number; readonly pauseMs: number }> {
  const others = [sleepers(count / 2, process.env), sleepers(count / 2, {})];
  await Promise.all(others.map(({ stdout }) => once(stdout!, 'data')));
  const cpu: number[] = [];
  const pauses: number[] = [];
  for (let at = -1; at < times; at++) {
    const source = new CancellationTokenSource();
    const run = cancellableExec('sleep 600 & echo up; sleep 601', { token: source.token });
    await once(run.stdout!, 'data');
    const watch = new PauseWatch();
    const before = process.cpuUsage();
    source.cancel('user');
    await run;
    const { user, system } = process.cpuUsage(before);
    watch.stop();
    if (at >= 0) {
      cpu.push((user + system) / 1000);
      pauses.push(watch.pauseCpuMs);
    }
    source.release();
  }
  for (const other of others) {
    const gone = once(other, 'exit');
    process.kill(-other.pid!, 'SIGKILL');
    await gone;
  }
  return { cpuMs: median(cpu), pauseMs: median(pauses) };
}

export const workload: Workload = {
  id: 'G23',
  title: 'One stop beside n unrelated processes',
  async measure(effort) {
    const most = effort.scale === 1 ? 4800 : 800;
    const few = await beside(most / 8, 5);
    const many = await beside(most, 5);
    return [
      {
        what: `time beside ${String(most)} / 8 × time beside ${String(most / 8)}`,
        value: many.cpuMs / (8 * few.cpuMs),
        unit: 'x',
        atMost: 1.5,
      },
      { what: `beside ${String(most)}, CPU time of ours`, value: many.cpuMs, unit: 'ms' },
      { what: 'longest step of the event loop', value: many.pauseMs, unit: 'ms', atMost: 50 },
    ];
  },
};
