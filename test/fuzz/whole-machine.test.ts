/**
 * The whole machine against a model that only watches: nested agents, tools of every manner, branches nobody awaits,
 * background work, questions, messages, stops of every aim from outside and from inside every callback.
 *
 * 2,000 programs by default; `npm run test:fuzz` runs 100,000 others. A failure prints its seed, its path and the program.
 */
import { test } from '@fast-check/vitest';
import { afterEach, beforeEach, describe, expect, vi } from 'vitest';

import { program } from './machine-program.ts';
import { MachineWorld } from './machine-world.ts';

const { FUZZ_RUNS: fuzzRuns, FC_SEED: seed = '1' } = process.env;

/** The same programs each time, unless somebody looks for new ones. */
const runs = fuzzRuns === undefined ? { numRuns: 2_000, seed: Number(seed) } : { numRuns: Number(fuzzRuns) };

describe('the whole machine', () => {
  const unheard: unknown[] = [];
  const hear = (error: unknown): void => {
    unheard.push(error);
  };
  beforeEach(() => {
    process.on('unhandledRejection', hear);
    vi.spyOn(console, 'error').mockImplementation((...args: unknown[]) => {
      // Starting something after the body has ended is a misuse that programs here make on purpose.
      if (!(args[1] instanceof TypeError && args[1].message.includes('was started after the body of turn'))) hear(args);
    });
  });
  afterEach(() => {
    process.off('unhandledRejection', hear);
    vi.restoreAllMocks();
  });

  test.prop([program], runs)(
    'names exactly what runs, starts nothing after a stop, answers every call once and keeps every message',
    async (given) => {
      const world = new MachineWorld(given);
      await world.run();
      expect([...world.model.broken, ...unheard.splice(0)]).toEqual([]);
    },
    3_600_000,
  );
});
