import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, it, onTestFinished } from 'vitest';

import {
  adopt,
  cancellableExec,
  markedEnvironment,
  type AdoptOptions,
  type AdoptedResult,
} from '../../src/adapters/child-process/index.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { killAll, listenersOf, processesNamed, uniqueSleep } from './support/child-process-watch.ts';
import { randomOf, treeLine, type Random } from './support/torture-tree.ts';

const trees = 200;
/** Two cores: more at a time would be a test of the machine. */
const atOnce = 4;
const graceMs = 300;

interface Verdict {
  readonly seed: number;
  readonly line: string;
  /** Beyond the grace, without the time in which this thread stood still. */
  readonly lateMs: number;
  readonly stalledMs: number;
  readonly unnamed: readonly string[];
  readonly named: number;
}

/** Waits until the tree says it is ready, or a moment longer: some are cancelled while they start. */
async function begin(random: Random, stdout: Readable | null | undefined): Promise<void> {
  const ready = stdout === null || stdout === undefined ? undefined : once(stdout, 'data').catch(() => undefined);
  await Promise.race([ready, sleep(1000)]);
  await sleep(random() * 250);
}

const tickMs = 5;

/**
 * How long this thread could not run at all: while it looks for survivors itself, or because every core is somebody
 * else's. No promise can settle then, whoever has promised it.
 */
class StallWatch {
  totalMs = 0;
  #last = performance.now();
  readonly #timer = setInterval(() => {
    const now = performance.now();
    this.totalMs += Math.max(0, now - this.#last - 2 * tickMs);
    this.#last = now;
  }, tickMs);

  stop(): void {
    clearInterval(this.#timer);
  }
}

type Started = { readonly run: PromiseLike<AdoptedResult>; readonly stdout: Readable | null };

function startOwn(line: string, options: AdoptOptions): Started {
  const run = cancellableExec(line, options);
  return { run, stdout: run.stdout };
}

function startForeign(line: string, options: AdoptOptions): Started {
  const env = { ...process.env, ...markedEnvironment() };
  const child = spawn('sh', ['-c', line], { detached: true, env });
  return { run: adopt(child, { ...options, env }), stdout: child.stdout };
}

/** Every fourth tree is started by somebody else and adopted. */
async function runTree(seed: number, controller: AbortController, stalls: StallWatch): Promise<Verdict> {
  const random = randomOf(seed);
  const tag = uniqueSleep();
  const line = treeLine(random, tag);
  const source = new CancellationTokenSource({ parent: controller.signal });
  // A leader that ends before the stop is one of the cases: what it leaves is to go, too.
  const options = { token: source.token, graceMs, background: 'stop' } as const;
  const isAdopted = random() < 0.25;
  const { run, stdout } = isAdopted ? startForeign(line, options) : startOwn(line, options);
  await begin(random, stdout);
  const stalledBefore = stalls.totalMs;
  const startedAt = performance.now();
  source.cancel('user');
  const { survivors } = await run;
  const stalledMs = stalls.totalMs - stalledBefore;
  const lateMs = performance.now() - startedAt - graceMs - stalledMs;
  const named = new Set(survivors === 'unknown' ? [] : survivors.map(({ pid }) => pid));
  const alive = processesNamed(tag);
  const unnamed = alive.filter(({ pid }) => !named.has(pid)).map(({ pid, command }) => `${String(pid)} ${command}`);
  killAll(tag);
  source.release();
  return { seed, line, lateMs, stalledMs, unnamed, named: alive.length - unnamed.length };
}

it('S24 torture: 200 random trees are gone, or each survivor is named', async () => {
  const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);
  console.log(`process torture: seed ${String(seed)}`);
  const controller = new AbortController();
  const before = listenersOf(process);
  // Nobody of ours: beside us, in our group and in one of its own.
  const canaries = [false, true].map((detached) => spawn('sleep', [uniqueSleep()], { stdio: 'ignore', detached }));
  const stalls = new StallWatch();
  onTestFinished(() => {
    stalls.stop();
    for (const canary of canaries) canary.kill('SIGKILL');
  });
  const verdicts: Verdict[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < trees) verdicts.push(await runTree((seed + next++) >>> 0, controller, stalls));
    }),
  );
  expect(verdicts).toHaveLength(trees);
  expect(verdicts.filter(({ unnamed }) => unnamed.length > 0)).toEqual([]);
  expect(verdicts.filter(({ lateMs }) => lateMs > 1000)).toEqual([]);
  for (const canary of canaries) {
    expect([canary.exitCode, canary.signalCode]).toEqual([null, null]);
    canary.kill('SIGKILL');
    await once(canary, 'exit');
  }
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  expect(listenersOf(process)).toBe(before);
  const worst = Math.round(Math.max(...verdicts.map(({ lateMs }) => lateMs)));
  const named = verdicts.reduce((sum, verdict) => sum + verdict.named, 0);
  console.log(`process torture: ${String(named)} survivors, all named; latest ${String(worst)} ms after the grace`);
}, 600_000);
