import { expect, it } from 'vitest';

import { givenBackMs } from '../../../../src/core/combinators/engine/given-back.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

it('givenBackMs gives back how late a timer is, up to the wait itself, and nothing below what a busy loop takes', () => {
  const clock = new VirtualClock({ startAt: 1_000 });
  const cases = [1_000, 951, 950, 700, 0].map((dueAt) => givenBackMs(clock, dueAt, 500));
  expect(cases).toEqual([0, 0, 50, 300, 500]);
});
