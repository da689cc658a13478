/**
 * Runs around every unit, property and integration test file: nothing may be left behind, no rejection may go
 * unheard, and no error of a callback may end on the console, where the library reports one that nobody handles. `FC_NUM_RUNS` and `FC_SEED` set fast-check's runs and seed; a failing property prints its seed and path.
 *
 * @module
 */
import { configureGlobal } from 'fast-check';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

import { leakCheck, type LeakCheck } from '../../src/testing/leaks/leak-check.ts';
import { addedSince, sharedState } from './shared-state.ts';
import { limitMs } from './limit.ts';

const { FC_NUM_RUNS: numRuns, FC_SEED: seed } = process.env;

configureGlobal({
  ...(numRuns === undefined ? {} : { numRuns: Number(numRuns) }),
  ...(seed === undefined ? {} : { seed: Number(seed) }),
});

// A terminal that can do what ours are asked for, whatever the tests are run in.
process.env['TERM'] = 'xterm-256color';

let check: LeakCheck | undefined;
let shared: ReturnType<typeof sharedState> = new Map();
let unheard: unknown[] = [];
const realImmediate = setImmediate;

function hear(error: unknown): void {
  unheard.push(error);
}

const realError = console.error;

/** A test that wants the report puts a function of its own in the place of this one. */
function reported(...args: readonly unknown[]): void {
  if (String(args[0]).startsWith('Error reported by')) unheard.push(args[1]);
  else realError(...args);
}

beforeAll(() => {
  shared = sharedState();
  process.on('unhandledRejection', hear);
  console.error = reported;
  check = leakCheck();
});

afterEach(async () => {
  // Node decides what is unhandled after the microtasks, so one turn later.
  await new Promise((resolve) => realImmediate(resolve));
  const errors = unheard;
  unheard = [];
  expect(errors, 'unhandled rejections, errors of callbacks').toEqual([]);
});

afterAll(async () => {
  process.off('unhandledRejection', hear);
  console.error = realError;
  const leaks = await check?.finish({ settleMs: limitMs(5_000) });
  expect(leaks, 'left behind by this file').toEqual([]);
  // Where many files share a process, what one leaves in it, another one trips over.
  if (process.env['SHARED_PROCESS'] === '1')
    expect(addedSince(shared), 'left behind by this file in the process').toEqual([]);
});
