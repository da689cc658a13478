import { describe, expect, it } from 'vitest';

import { DataLoss } from '../../../../src/remote/node/engine/data-loss.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

describe('a loss of data', () => {
  it('a loss of data is recent until those who live had the time to come back, counted from the last one', async () => {
    const clock = new VirtualClock();
    let overs = 0;
    const loss = new DataLoss({ clock, returnMs: 100, over: () => overs++ });
    expect(loss.isRecent).toBe(false);
    loss.noticed();
    await clock.advance(60);
    loss.noticed();
    await clock.advance(99);
    expect([loss.isRecent, overs]).toEqual([true, 0]);
    await clock.advance(1);
    expect([loss.isRecent, overs]).toEqual([false, 1]);
    loss.noticed();
    loss.stop();
    await clock.advance(1_000);
    expect([loss.isRecent, overs, clock.pending]).toEqual([false, 1, 0]);
  });
});
