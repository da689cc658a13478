/** G22: commands that are stopped at once, and what the event loop notices of it. */
import { CancellationTokenSource } from 'desist';
import { cancellableExec } from 'desist/child-process';
import { median } from '../harness.ts';
import { PauseWatch } from '../trees/pause-watch.ts';
import type { Row, Workload } from '../workload.ts';

interface Round {
  readonly cpuMs: number;
  readonly pauseMs: number;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Two processes each; CPU time of ours, from the cancel to the last result. */
async function stopMany(count: number): Promise<Round> {
  const source = new CancellationTokenSource();
  const runs = Array.from({ length: count }, () =>
    cancellableExec('sleep 600 & echo up; sleep 601', { token: source.token }),
  );
  await Promise.all(runs.map(({ stdout }) => new Promise((resolve) => stdout?.once('data', resolve))));
  const watch = new PauseWatch();
  const before = cpuMs();
  source.cancel('user');
  await Promise.all(runs.map(({ result }) => result));
  const took = cpuMs() - before;
  watch.stop();
  source.release();
  return { cpuMs: took, pauseMs: watch.pauseCpuMs };
}

async function rounds(count: number, times: number): Promise<Round[]> {
  await stopMany(count);
  const found: Round[] = [];
  for (let at = 0; at < times; at++) found.push(await stopMany(count));
  return found;
}

export const workload: Workload = {
  id: 'G22',
  title: 'Cancel n running commands at once',
  async measure(effort) {
    const most = effort.scale === 1 ? 400 : 80;
    const few = await rounds(most / 8, 5);
    const many = await rounds(most, 5);
    const time = (found: readonly Round[]): number => median(found.map((round) => round.cpuMs));
    const rows: Row[] = [
      {
        what: `time at ${String(most)} / 8 × time at ${String(most / 8)}`,
        value: time(many) / (8 * time(few)),
        unit: 'x',
        atMost: 1.5,
      },
      { what: `${String(most)} commands, CPU time of ours until all have settled`, value: time(many), unit: 'ms' },
      {
        what: 'longest step of the event loop',
        value: median(many.map((round) => round.pauseMs)),
        unit: 'ms',
        atMost: 50,
      },
    ];
    return rows;
  },
};
