import { describe, expect, it } from 'vitest';

import { LookOut } from '../../../src/remote/requester/look-out.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

/** Says when it looked. */
function stage({ isWatched = true, tookMs = 0 } = {}) {
  const clock = new VirtualClock();
  const looks: number[] = [];
  const told: string[] = [];
  const state = { isWanted: true };
  const lookOut = new LookOut({
    ...{ clock, longestMs: 1_000, isWatched: () => isWatched, isWanted: () => state.isWanted },
    look: async () => {
      looks.push(clock.now());
      if (tookMs > 0) await new Promise<void>((resolve) => clock.setTimer(resolve, tookMs, { ref: true }));
    },
    ends: () => told.push('ends'),
  });
  return { clock, looks, told, state, lookOut };
}

describe('looking after a stop', () => {
  it('looking after a stop comes soon at first, then seldom, and ends when nobody wants it', async () => {
    const { clock, looks, told, state, lookOut } = stage();
    lookOut.start();
    lookOut.start();
    await clock.advance(3_000);
    expect(looks).toEqual([15, 45, 105, 225, 465, 945, 1_905, 2_905]);
    state.isWanted = false;
    await clock.advance(5_000);
    expect([looks.length, told, clock.pending]).toEqual([8, ['ends'], 0]);
    lookOut.start();
    expect(told).toEqual(['ends', 'ends']);
  });

  it('looking after a stop that nobody waits for is in no hurry', async () => {
    const { clock, looks, lookOut } = stage({ isWatched: false });
    lookOut.start();
    await clock.advance(2_000);
    expect(looks).toEqual([1_000, 2_000]);
  });

  it('looking after a stop follows a hint at once, also one that came during a look, and no news that says it all', async () => {
    const { clock, looks, lookOut } = stage({ tookMs: 10 });
    lookOut.start();
    lookOut.poke('hint');
    await clock.advance(5);
    expect(looks).toEqual([0]);
    lookOut.poke('hint');
    await clock.advance(5);
    expect(looks).toEqual([0, 10]);
    await clock.advance(10);
    lookOut.poke('news');
    await clock.advance(14);
    expect(looks).toHaveLength(2);
    await clock.advance(10);
    expect(looks).toHaveLength(3);
  });

  it('looking after a stop is not done more often where each look takes long', async () => {
    const { clock, looks, lookOut } = stage({ tookMs: 400 });
    lookOut.start();
    await clock.advance(2_000);
    expect(looks).toEqual([15, 1_215]);
  });
});
