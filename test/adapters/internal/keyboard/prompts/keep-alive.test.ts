import { expect, it } from 'vitest';

import { KeepAlive, keepAlive } from '../../../../../src/adapters/internal/keyboard/prompts/keep-alive.ts';
import { VirtualClock } from '../../../../../src/testing/virtual-clock.ts';

it('holds the process open, for longer than any timer, until it is released', async () => {
  const clock = new VirtualClock();
  const alive = keepAlive(clock);
  expect(clock.pending).toBe(1);
  await clock.advance(2 ** 31);
  expect(clock.pending).toBe(1);
  alive.release();
  expect(clock.pending).toBe(0);
});

it('holds the process open once for as long as that is wanted', () => {
  const clock = new VirtualClock();
  const alive = new KeepAlive();
  alive.want(false, clock);
  alive.want(true, clock);
  alive.want(true, clock);
  expect(clock.pending).toBe(1);
  alive.want(false, clock);
  alive.want(false, clock);
  expect(clock.pending).toBe(0);
});
