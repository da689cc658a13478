import { describe, expect, it } from 'vitest';

import { propertyRuns } from '../support/property-runs.ts';
import { liveThrough } from './support/remote/protocol-world.ts';

/** How many days are lived through; each is known by its seed. */
const DAYS = Number(process.env['REMOTE_SEEDS'] ?? propertyRuns(5_000));
const FIRST = Number(process.env['REMOTE_FIRST'] ?? 1);

describe('stops over an engine that fails', () => {
  it(`${String(DAYS)} bad days lose no stop, confirm none falsely, and tell none twice`, async () => {
    const failed = [];
    for (let seed = FIRST; seed < FIRST + DAYS && failed.length < 3; seed++) {
      const { violations, log } = await liveThrough(seed);
      if (violations.length > 0) failed.push({ seed, violations, log });
    }
    expect(failed).toEqual([]);
  });

  it('a stop is not settled early when a host is back sooner than a member that the engine has lost', async () => {
    expect((await liveThrough(9_601)).violations).toEqual([]);
  });

  it('a host that is back first is told when the one that had replaced it gives the run up', async () => {
    expect((await liveThrough(16_757)).violations).toEqual([]);
  });

  it('a stop that was observed is not settled early when the engine loses a member of its run twice', async () => {
    expect((await liveThrough(10_310)).violations).toEqual([]);
  });
});
