/**
 * Starts many random process trees, stops them all at once, and counts: who is alive that nobody named, which call never
 * settled, and how long the event loop stood still.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { PauseWatch } from './pause-watch.ts';
import { isOfChain, randomOf, treeLine } from './random-tree.ts';

/** One tree, started by whatever is tried. */
export interface StartedTree {
  /** The tree has said that it runs. */
  readonly ready: Promise<unknown>;
  /** Whom the stop left alive, by its own words; rejects if the tree could not be started. */
  readonly end: Promise<readonly number[] | 'unknown'>;
}

/** How a tree is started. */
export type StartTree = (line: string, signal: AbortSignal, index: number) => StartedTree;

/** What is tried. */
export interface Trial {
  readonly seed: number;
  readonly trees: number;
  readonly graceMs: number;
  readonly start: StartTree;
  /** Whether a tree may have processes that hide from a look; each may by default. */
  readonly hides?: ((index: number) => boolean) | undefined;
  /** When all are started, before who runs is counted. */
  readonly afterStart?: (() => void) | undefined;
  /** Right before the stop. */
  readonly beforeStop?: (() => void) | undefined;
}

/** What came of it. */
export interface Tally {
  readonly trees: number;
  /** Could not be started, with the code of the system. */
  readonly refused: Readonly<Record<string, number>>;
  /** Processes that were alive right before the stop. */
  readonly running: number;
  /** Processes that were alive afterwards and that nobody had named, but for those of chains. */
  readonly unnamed: readonly string[];
  /** Those that fork, leave their session and end every few milliseconds: another number in each look. */
  readonly unnamedOfChains: number;
  /** Those that had been named. */
  readonly named: number;
  /** Calls that said that they do not know. */
  readonly unknown: number;
  /** Calls that had not settled {@link patienceMs} after the grace. */
  readonly unsettled: number;
  /** The last call that settled, in milliseconds after the stop. */
  readonly latestMs: number;
  /** The longest time in which the event loop had no turn, and how much of it this thread was running. */
  readonly pauseMs: number;
  readonly pauseCpuMs: number;
}

/** How long a call may take beyond its grace. */
export const patienceMs = 15_000;

interface SeenProcess {
  readonly pid: number;
  readonly command: string;
}

const run = promisify(execFile);

/** Who is alive – a zombie is not – and has `text` in its command line. */
async function processesNamed(text: string): Promise<SeenProcess[]> {
  const { stdout } = await run('ps', ['-axww', '-o', 'pid=,stat=,command='], { maxBuffer: 2 ** 26 });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, stat, command = ''] = /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    const isAlive = stat?.startsWith('Z') === false && command.includes(text);
    return isAlive ? [{ pid: Number(pid), command }] : [];
  });
}

/** Chains hand on while they are looked at, so twice nobody is nobody. */
async function killAll(text: string): Promise<void> {
  for (let quiet = 0; quiet < 2;) {
    const left = await processesNamed(text);
    quiet = left.length === 0 ? quiet + 1 : 0;
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        if ((error as { readonly code?: unknown }).code !== 'ESRCH') throw error;
      }
    }
  }
}

function isIn(names: readonly number[] | 'unknown', pid: number): boolean {
  return names !== 'unknown' && names.includes(pid);
}

/** Stops them all with one abort. */
export async function stopTrees({
  seed,
  trees,
  graceMs,
  start,
  hides = () => true,
  afterStart,
  beforeStop,
}: Trial): Promise<Tally> {
  const controller = new AbortController();
  const batch = `${String(1000 + (seed % 9000))}.${String(process.pid)}${String(Date.now() % 1e6)}`;
  const tagOf = (index: number): string => `${batch}${String(index + 1000)}`;
  const started: StartedTree[] = [];
  for (let index = 0; index < trees; index++) {
    const random = randomOf((seed + index) >>> 0);
    const tree = start(treeLine(random, tagOf(index), hides(index)), controller.signal, index);
    tree.end.catch(() => undefined);
    tree.ready.catch(() => undefined);
    started.push(tree);
    await new Promise((resolve) => setImmediate(resolve));
  }
  // Some are stopped while they still start.
  await Promise.race([Promise.allSettled(started.map(({ ready }) => ready)), sleep(3000)]);
  await sleep(100);
  afterStart?.();
  const running = (await processesNamed(batch)).length;
  beforeStop?.();

  const watch = new PauseWatch();
  await sleep(5); // it has begun to watch
  const stoppedAt = performance.now();
  const refused: Record<string, number> = {};
  const named = new Map<number, readonly number[] | 'unknown'>();
  let [settled, latestMs] = [0, 0];
  const all = started.map(async ({ end }, index) => {
    try {
      named.set(index, await end);
    } catch (error) {
      const code = String((error as { readonly code?: unknown }).code ?? error);
      refused[code] = (refused[code] ?? 0) + 1;
    }
    settled += 1;
    latestMs = Math.max(latestMs, performance.now() - stoppedAt);
  });
  controller.abort();
  const patience = new AbortController();
  await Promise.race([Promise.all(all), sleep(graceMs + patienceMs, undefined, patience).catch(() => undefined)]);
  patience.abort();
  watch.stop();

  const unsettled = trees - settled;
  const left = await processesNamed(batch);
  const namesFor = ({ command }: SeenProcess): readonly number[] | 'unknown' => {
    const index = started.findIndex((_, at) => command.includes(tagOf(at)));
    return named.get(index) ?? [];
  };
  const unsure = left.filter((one) => namesFor(one) === 'unknown');
  const missed = left.filter((one) => !unsure.includes(one) && !isIn(namesFor(one), one.pid));
  const unnamed = missed.filter(({ command }) => !isOfChain(command));
  await killAll(batch);
  return {
    trees,
    refused,
    running,
    unnamed: unnamed.map(({ pid, command }) => `${String(pid)} ${command}`),
    unnamedOfChains: missed.length - unnamed.length,
    named: left.length - missed.length - unsure.length,
    unknown: [...named.values()].filter((names) => names === 'unknown').length,
    unsettled,
    latestMs,
    pauseMs: watch.pauseMs,
    pauseCpuMs: watch.pauseCpuMs,
  };
}
