import { describe, expect, it } from 'vitest';

import { Endings } from '../../../src/remote/node/endings.ts';
import type { EndedRun } from '../../../src/remote/node/hosted-run.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

function ended(isWritten: boolean, over = Promise.resolve()): EndedRun {
  return { isWritten, over };
}

function onWellEngine(): { readonly clock: VirtualClock; readonly endings: Endings } {
  const clock = new VirtualClock();
  const parts = { leaseMs: 300, confirmMs: 100, isUnable: () => false, changed: () => undefined };
  return { clock, endings: new Endings({ clock, ...parts }) };
}

describe('an end', () => {
  it('an end is waited for as long as its engine is slow, and no longer than it takes to confirm once that is away', async () => {
    const clock = new VirtualClock();
    let isUnable = false;
    let changes = 0;
    const endings = new Endings({
      clock,
      leaseMs: 2_000,
      confirmMs: 100,
      isUnable: () => isUnable,
      changed: () => changes++,
    });
    const [slow, never] = [deferred<EndedRun>(), deferred<EndedRun>()];
    const [first, second] = [endings.add(slow.promise), endings.add(never.promise)];
    const said: unknown[] = [];
    void endings.isWritten(first).then((is) => said.push(['first', is]));
    void endings.isWritten(second).then((is) => said.push(['second', is]));
    await clock.advance(1_000);
    expect([said, endings.size]).toEqual([[], 2]);
    slow.resolve(ended(true));
    await clock.advance(0);
    isUnable = true;
    await clock.advance(100);
    expect([said, endings.size, changes]).toEqual([[['first', true], ['second', false]], 1, 1]); // prettier-ignore
    never.resolve(ended(false));
    await endings.allOver();
    expect([endings.size, clock.pending]).toEqual([0, 0]);
  });

  it('an end is waited for while others are written, and no longer than a lease once none is any more', async () => {
    const { clock, endings } = onWellEngine();
    const last = deferred<EndedRun>();
    const before = Array.from({ length: 5 }, () => deferred<EndedRun>());
    for (const { promise } of before) void endings.add(promise);
    let said: boolean | undefined;
    void endings.isWritten(endings.add(last.promise)).then((is) => (said = is));
    for (const { resolve } of before) {
      await clock.advance(200);
      resolve(ended(true));
    }
    await clock.advance(299);
    expect(said).toBeUndefined();
    await clock.advance(100);
    expect([said, clock.pending]).toEqual([false, 0]);
    last.resolve(ended(true));
    await endings.allOver();
  });

  it('an end is written before the stops of its session are over, and kept until they are', async () => {
    const { endings } = onWellEngine();
    const stops = deferred<undefined>();
    const written = endings.add(Promise.resolve(ended(true, stops.promise)));
    expect([await endings.isWritten(written), endings.size]).toEqual([true, 1]);
    stops.resolve(undefined);
    await endings.allOver();
    expect(endings.size).toBe(0);
  });
});
