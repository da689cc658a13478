import { describe, expect, it } from 'vitest';

import type { Clock } from '../../../src/core/foundation/clock.ts';
import { Portions } from '../../../src/core/combinators/portions.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

describe('many of a kind, in portions', () => {
  it('what is few is done at once, and leaves no timer behind', () => {
    const clock = new VirtualClock();
    const portions = new Portions(clock);
    const done: number[] = [];
    for (let n = 0; n < 100; n++) portions.add(() => done.push(n));
    expect([done.length, clock.pending]).toEqual([100, 0]);
  });

  it('each turn of the event loop has one portion of what is many, in the order in which it came', async () => {
    const turns: (() => void)[] = [];
    const setTimer: Clock['setTimer'] = (fn) => (turns.push(fn), { release: () => undefined });
    const portions = new Portions({ now: () => 0, setTimer });
    const done: number[] = [];
    const act = (n: number): void => {
      done.push(n);
      // What one brings along comes behind all the others.
      if (n === 150) portions.add(() => done.push(-1));
    };
    for (let n = 0; n < 350; n++) portions.add(() => act(n));
    const passed = portions.passed();
    const sizes = [done.length];
    for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
      turn();
      sizes.push(done.length);
    }
    await passed;
    expect(sizes).toEqual([100, 200, 300, 351]);
    expect(done).toEqual([...Array.from({ length: 350 }, (_, n) => n), -1]);
    portions.add(() => done.push(-2));
    expect([done.at(-1), turns.length]).toEqual([-2, 0]);
  });
});
