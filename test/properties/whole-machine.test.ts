/**
 * The whole machine against a model that only watches: nested agents, tools of every manner, branches nobody awaits,
 * background work, questions, messages, stops of every aim from outside and from inside every callback.
 *
 * 2,000 programs of one seed; `npm run test:fuzz` runs 100,000 of another. A failure prints its seed, its path and the
 * program, and `FC_SEED` looks elsewhere.
 */
import { test } from '@fast-check/vitest';
import { afterEach, beforeEach, describe, expect } from 'vitest';

import { lawsBroken, Unhandled } from './machine/check.ts';
import { program } from './machine/program.ts';
import { RUNS, SEED } from './machine/runs.ts';

const { FUZZ_RUNS: fuzzRuns } = process.env;
const runs = fuzzRuns === undefined ? { numRuns: RUNS, seed: SEED } : { numRuns: Number(fuzzRuns) };

describe('the whole machine', () => {
  const unhandled = new Unhandled();
  beforeEach(() => {
    unhandled.open();
  });
  afterEach(() => {
    unhandled.close();
  });

  test.prop([program], runs)(
    'names exactly what runs, starts nothing after a stop, answers every call once and keeps every message',
    async (given) => {
      expect(await lawsBroken(given, unhandled)).toEqual([]);
    },
    3_600_000,
  );
});
