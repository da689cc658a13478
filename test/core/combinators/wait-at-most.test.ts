import { describe, expect, it } from 'vitest';

import { waitAtMost } from '../../../src/core/combinators/wait-at-most.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

describe('waiting as long as there is time', () => {
  it('waiting as long as there is time gives the value, or nothing, and leaves no timer behind', async () => {
    const clock = new VirtualClock();
    expect([await waitAtMost(clock, 10, Promise.resolve(7)), clock.pending]).toEqual([7, 0]);
    const late = waitAtMost(clock, 10, new Promise(() => undefined));
    await clock.advance(10);
    expect([await late, clock.pending]).toEqual([undefined, 0]);
    await expect(waitAtMost(clock, 20, Promise.reject(new Error('mine')))).rejects.toThrow('mine');
    expect(clock.pending).toBe(0);
  });
});
