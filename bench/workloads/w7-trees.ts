/** W7: 300 random process trees told to stop at once, by this package, by execa and by `spawn({ signal })`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cancellableExec } from 'desist/child-process';
import { stopTrees, type StartTree } from '../trees/stop-trees.ts';
import type { Row, Workload } from '../workload.ts';

const graceMs = 300;
/** The same trees each time. */
const seed = 20_260_101;

/** Absent where this Node is too old for it. */
const { execa } = await import('execa').catch(() => ({ execa: undefined }));

const contenders: Readonly<Record<string, StartTree>> = {
  desist: (line, token) => {
    const run = cancellableExec(line, { token, graceMs, background: 'stop' });
    const end = run.result.then(({ survivors, background }) => {
      // One that ended before the stop tells of its background instead.
      if (survivors === 'unknown' || background === 'unknown') return 'unknown';
      return [...survivors, ...background].map(({ pid }) => pid);
    });
    return { ready: once(run.stdout!, 'data'), end };
  },
  ...(execa && {
    execa: (line, cancelSignal) => {
      const child = execa('sh', ['-c', line], {
        cancelSignal,
        forceKillAfterDelay: graceMs,
        reject: false,
        stdin: 'ignore',
      });
      return { ready: once(child.stdout, 'data'), end: child.then(() => []) };
    },
  }),
  'spawn({ signal })': (line, signal) => {
    const child = spawn('sh', ['-c', line], { signal, stdio: ['ignore', 'pipe', 'pipe'] });
    child.on('error', () => undefined); // the abort itself
    child.stderr.resume();
    return { ready: once(child.stdout, 'data'), end: once(child, 'close').then(() => []) };
  },
};

export const workload: Workload = {
  id: 'W7',
  title: 'Random process trees, stopped at once',
  async measure(effort) {
    const trees = effort.scale === 1 ? 300 : 60;
    const rows: Row[] = [];
    for (const [name, start] of Object.entries(contenders)) {
      const tally = await stopTrees({ seed, trees, graceMs, start });
      const { running, unnamed, unnamedOfChains, unknown, unsettled, latestMs, pauseCpuMs } = tally;
      const goal = name === 'desist' ? { atMost: 0 } : {};
      rows.push(
        { what: `${name}: processes of ${String(trees)} trees`, value: running, unit: 'count' },
        { what: `${name}: survivors that nobody named`, value: unnamed.length, unit: 'count', ...goal },
        {
          what: `${name}: survivors that fork, leave their session and end every few ms`,
          value: unnamedOfChains,
          unit: 'count',
        },
        { what: `${name}: calls that said 'unknown'`, value: unknown, unit: 'count' },
        { what: `${name}: calls that never settled`, value: unsettled, unit: 'count', ...goal },
        { what: `${name}: the last call that settled`, value: latestMs, unit: 'ms' },
        {
          what: `${name}: longest step of the event loop`,
          value: pauseCpuMs,
          unit: 'ms',
          ...(name === 'desist' ? { atMost: 50 } : {}),
        },
      );
    }
    return rows;
  },
};
