/**
 * One side of the races: for each of many flags waits for the start, counts to a number of its own, and claims.
 *
 * @module
 */
import { parentPort, workerData } from 'node:worker_threads';

import { CancelFlag } from '../../../src/adapters/worker/cancel-flag.ts';
import { createReason } from '../../../src/core/foundation/reason.ts';

export interface RaceData {
  readonly flags: readonly SharedArrayBuffer[];
  /** How long to count before each claim. */
  readonly delays: readonly number[];
  /** Word 0: which round may start; word 1: how many this side has finished. */
  readonly gate: SharedArrayBuffer;
}

const { flags, delays, gate } = workerData as RaceData;
const words = new Int32Array(gate);
// The other thread stands still from here on, and could not help this one to load.
parentPort?.postMessage('loaded');
const results = flags.map((memory, round) => {
  const flag = new CancelFlag(memory);
  Atomics.wait(words, 0, round);
  for (let i = 0; i < delays[round]!; i++) Atomics.load(words, 0);
  const won = flag.claim('receiver', createReason({ kind: 'idle', message: `receiver ${String(round)}`, at: 1 }));
  const seen = flag.reason?.message;
  Atomics.add(words, 1, 1);
  Atomics.notify(words, 1);
  return { won, seen };
});
parentPort?.postMessage(results);
