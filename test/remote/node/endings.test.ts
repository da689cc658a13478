import { describe, expect, it } from 'vitest';

import { Endings } from '../../../src/remote/node/endings.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

describe('an end', () => {
  it('an end is waited for as long as its engine is slow, and no longer than it takes to confirm once that is away', async () => {
    const clock = new VirtualClock();
    let isUnable = false;
    let changes = 0;
    const endings = new Endings({ clock, confirmMs: 100, isUnable: () => isUnable, changed: () => changes++ });
    const [slow, never] = [deferred<boolean>(), deferred<boolean>()];
    const [first, second] = [endings.add(slow.promise), endings.add(never.promise)];
    const said: unknown[] = [];
    void endings.isWritten(first).then((is) => said.push(['first', is]));
    void endings.isWritten(second).then((is) => said.push(['second', is]));
    await clock.advance(1_000);
    expect([said, endings.size]).toEqual([[], 2]);
    slow.resolve(true);
    await clock.advance(0);
    isUnable = true;
    await clock.advance(100);
    expect([said, endings.size, changes]).toEqual([[['first', true], ['second', false]], 1, 1]); // prettier-ignore
    never.resolve(false);
    await endings.allOver();
    expect([endings.size, clock.pending]).toEqual([0, 0]);
  });
});
