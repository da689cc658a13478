import { expect, it } from 'vitest';

import { Refusals, REFUSALS_WAITED_FOR } from '../../../../src/core/interrupt/stops/refusal-pacing.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { tick } from '../kit.ts';

/** How many of the refusals have been answered. */
function counter(refusals: Refusals) {
  const count = { answered: 0 };
  const add = (): void => void refusals.add().then(() => (count.answered += 1));
  return { count, add };
}

it('the first refusal is answered at once, each later one only after a turn of the event loop', async () => {
  const clock = new VirtualClock();
  const refusals = new Refusals(clock, false);
  const { count, add } = counter(refusals);
  expect(refusals.isAny).toBe(false);
  add();
  add();
  await tick();
  expect([count.answered, refusals.isAny, refusals.isAnswering, clock.pending]).toEqual([1, true, true, 1]);
  await clock.advance(1);
  expect([count.answered, refusals.isAnswering, clock.pending]).toEqual([2, false, 0]);
});

it('the end of the turn answers what waits, and leaves no timer', async () => {
  const clock = new VirtualClock();
  const refusals = new Refusals(clock, false);
  const { count, add } = counter(refusals);
  for (let each = 0; each < 3; each++) add();
  refusals.turnEnded();
  await tick();
  expect([count.answered, refusals.isAnswering, clock.pending]).toEqual([3, false, 0]);
});

it('after the turn, refusals need no time until there are too many of them', async () => {
  const clock = new VirtualClock();
  const { count, add } = counter(new Refusals(clock, true));
  for (let each = 0; each < REFUSALS_WAITED_FOR + 5; each++) add();
  await clock.advance(0);
  expect(count.answered).toBe(REFUSALS_WAITED_FOR);
  await clock.advance(1);
  expect([count.answered, clock.pending]).toEqual([REFUSALS_WAITED_FOR + 5, 0]);
});
