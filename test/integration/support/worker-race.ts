/**
 * One side of the races: for each of many tokens waits for the start, counts to a number of its own, and cancels.
 *
 * @module
 */
import { parentPort } from 'node:worker_threads';

import { receiveToken } from '../../../src/adapters/worker/index.ts';
import type { TokenHandle } from '../../../src/adapters/worker/share-token.ts';

/** Races of one batch. */
export interface RaceBatch {
  readonly handles: readonly TokenHandle[];
  /** How long to count before each cancel. */
  readonly delays: readonly number[];
  /** Word 0: which round may start; word 1: how many this side has finished. */
  readonly gate: SharedArrayBuffer;
}

/** What one side of a race saw. */
export interface RaceSide {
  /** Whether its own cancel was the first. */
  readonly won: boolean;
  readonly reason: string | undefined;
  /** What its callbacks were told. */
  readonly heard: readonly string[];
}

parentPort?.on('message', ({ handles, delays, gate }: RaceBatch) => {
  const words = new Int32Array(gate);
  const sides = handles.map((handle) => {
    const heard: string[] = [];
    const shared = receiveToken(handle);
    shared.token.onCancelled(({ message }) => heard.push(message));
    return { shared, heard };
  });
  // The other thread stands still from here on, and could not help this one to load.
  parentPort?.postMessage('loaded');
  const won = sides.map(({ shared }, round) => {
    Atomics.wait(words, 0, round);
    for (let i = 0; i < delays[round]!; i++) Atomics.load(words, 0);
    const isFirst = shared.cancel({ kind: 'idle', message: `receiver ${String(round)}` });
    Atomics.add(words, 1, 1);
    Atomics.notify(words, 1);
    return isFirst;
  });
  const results = sides.map(({ shared, heard }, round): RaceSide => {
    const reason = shared.token.reason?.message;
    shared.release();
    return { won: won[round]!, reason, heard };
  });
  parentPort?.postMessage(results);
});
