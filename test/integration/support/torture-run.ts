/**
 * A program that stops random trees, all at once, and says what came of it as JSON: `torture-run.ts seed trees [hoard]`.
 * With `hoard` it has not one file descriptor left when it stops them.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';

import { stopTrees, type StartedTree } from '../../../bench/trees/stop-trees.ts';
import {
  adopt,
  cancellableExec,
  markedEnvironment,
  type AdoptedResult,
} from '../../../src/adapters/child-process/index.ts';
import { listenersOf } from './child-process-watch.ts';

const [seed, trees] = process.argv.slice(2, 4).map(Number) as [number, number];
const isHoarding = process.argv[4] === 'hoard';
const graceMs = 300;
let signals: AbortSignal | undefined;

async function namesOf(run: PromiseLike<AdoptedResult>): Promise<readonly number[] | 'unknown'> {
  const { survivors, background } = await run;
  // One that ended before the stop tells of its background instead.
  if (survivors === 'unknown' || background === 'unknown') return 'unknown';
  return [...survivors, ...background].map(({ pid }) => pid);
}

function readyOf(stdout: Readable | null | undefined): Promise<unknown> {
  return stdout === null || stdout === undefined ? Promise.resolve() : once(stdout, 'data');
}

const isAdopted = (index: number): boolean => index % 4 === 0;

/** Every fourth tree is started by somebody else and adopted. */
function start(line: string, token: AbortSignal, index: number): StartedTree {
  signals = token;
  // A leader that ends before the stop is one of the cases: what it leaves is to go, too.
  const options = { token, graceMs, background: 'stop' } as const;
  if (!isAdopted(index)) {
    const run = cancellableExec(line, options);
    return { ready: readyOf(run.stdout), end: namesOf(run) };
  }
  const env = { ...process.env, ...markedEnvironment() };
  const child = spawn('sh', ['-c', line], { detached: true, env });
  if (child.pid === undefined) {
    return { ready: Promise.resolve(), end: once(child, 'error').then(([error]) => Promise.reject(error as Error)) };
  }
  return { ready: readyOf(child.stdout), end: namesOf(adopt(child, { ...options, env })) };
}

/** Opens files until the system gives no more. */
function hoard(): void {
  try {
    for (;;) openSync('/dev/null', 'r');
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'EMFILE') throw error;
  }
}

// For the program that counts who runs.
const reserve = Array.from({ length: isHoarding ? 12 : 0 }, () => openSync('/dev/null', 'r'));
const before = listenersOf(process);
const tally = await stopTrees({
  seed,
  trees,
  graceMs,
  start,
  // There is nothing to find those by who cleared or overwrote the environment of a tree that somebody else has started.
  hides: (index) => !isAdopted(index),
  afterStart: () => {
    for (const one of reserve) closeSync(one);
  },
  beforeStop: isHoarding ? hoard : undefined,
});
const listeners = getEventListeners(signals!, 'abort').length + listenersOf(process) - before;
console.log(JSON.stringify({ ...tally, listeners }));
process.exit();
