import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, it } from 'vitest';

import type { Tally } from '../../bench/trees/stop-trees.ts';
import { killAll, processesNamed, uniqueSleep } from './support/child-process-watch.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('support/torture-run.ts', import.meta.url));
const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);
const unrelated = 500;
const canaryTag = uniqueSleep();

/** Forks without an exec, so that hundreds cost next to nothing. */
const manySleepers = `my $tag = '${canaryTag}'; for (1..${String(unrelated / 2)}) { if (!fork) { sleep 1000; exit } } $| = 1; print "up\\n"; sleep 1000`;

// Nobody of ours: hundreds with an environment and hundreds without, in our group and in groups of their own.
beforeAll(async () => {
  for (const [env, detached] of [
    [process.env, false],
    [{}, true],
  ] as const) {
    const parent = spawn('/usr/bin/perl', ['-e', manySleepers], {
      env,
      detached,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(parent.stdout, 'data');
  }
}, 30_000);
afterAll(() => killAll(canaryTag));

async function torture(file: string, args: readonly string[]): Promise<Tally & { readonly listeners: number }> {
  const { stdout } = await run(file, args, { maxBuffer: 2 ** 26, timeout: 50_000 });
  const tally = JSON.parse(stdout) as Tally & { readonly listeners: number };
  const { running, named, unknown, unnamedOfChains, latestMs, pauseMs, pauseCpuMs } = tally;
  const [latest, pause, busy] = [latestMs, pauseMs, pauseCpuMs].map((ms) => String(Math.round(ms)));
  console.log(
    `process torture: seed ${String(seed)}, ${String(running)} processes stopped, ${String(named)} survivors named, ` +
      `${String(unknown)} unknown, ${String(unnamedOfChains)} of chains missed; the last after ${latest!} ms; the longest pause of the loop ${pause!} ms, ${busy!} ms of them ours`,
  );
  return tally;
}

const nobodyLost = { unnamed: [], unsettled: 0, listeners: 0 };

it('S41 torture: of 200 random trees that are stopped at once beside 500 processes, nobody is left unnamed', async () => {
  const tally = await torture(process.execPath, [program, String(seed), '200']);
  expect(tally).toMatchObject({ ...nobodyLost, refused: {} });
  expect(tally.running).toBeGreaterThan(400); // they did run
  expect(processesNamed(canaryTag)).toHaveLength(unrelated + 2);
});

it('S42 torture: nor of 100 trees of a program that has not one descriptor left', async () => {
  const line = `ulimit -n 120; exec "$0" "$@"`;
  const tally = await torture('/bin/sh', ['-c', line, process.execPath, program, String(seed + 200), '100', 'hoard']);
  expect(tally).toMatchObject(nobodyLost);
  expect(tally.running).toBeGreaterThan(50);
  expect(Object.keys(tally.refused).filter((code) => code !== 'EMFILE')).toEqual([]);
  expect(processesNamed(canaryTag)).toHaveLength(unrelated + 2);
});
