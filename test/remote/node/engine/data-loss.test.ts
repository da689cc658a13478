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

  it('a loss of data may be recent as long as the engine itself is, also where nothing else tells of it', () => {
    const loss = new DataLoss({ clock: new VirtualClock(), returnMs: 100, over: () => undefined });
    expect([0, 99, 100, Infinity].map((ageMs) => loss.mayBeRecent(ageMs))).toEqual([true, true, false, false]);
    loss.noticed();
    expect(loss.mayBeRecent(Infinity)).toBe(true);
    loss.stop();
  });

  it('a loss of data is waited for until it has passed, or nobody looks any more', async () => {
    const clock = new VirtualClock();
    const loss = new DataLoss({ clock, returnMs: 100, over: () => undefined });
    const said: string[] = [];
    const wait = (name: string): void => void loss.passed().then(() => said.push(`${String(clock.now())} ${name}`));
    wait('none');
    await clock.advance(0);
    loss.noticed();
    wait('one');
    await clock.advance(60);
    loss.noticed();
    await clock.advance(100);
    loss.noticed();
    wait('stopped');
    loss.stop();
    await clock.advance(0);
    expect(said).toEqual(['0 none', '160 one', '160 stopped']);
  });
});
