import { expect, it } from 'vitest';

import { RunLimits } from '../../../src/adapters/child-process/run-limits.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

function setUp(limits: ConstructorParameters<typeof RunLimits>[0]) {
  const clock = new VirtualClock();
  const kinds: string[] = [];
  const run = new RunLimits(limits, clock, ({ kind }) => kinds.push(kind));
  return { clock, kinds, run };
}

it('stops at the end of the whole time', async () => {
  const { clock, kinds } = setUp({ timeoutMs: 100 });
  await clock.advance(99);
  expect(kinds).toEqual([]);
  await clock.advance(1);
  expect(kinds).toEqual(['deadline']);
});

it('stops after a silence, counted from the last word', async () => {
  const { clock, kinds, run } = setUp({ idleMs: 100 });
  await clock.advance(70);
  run.heard();
  await clock.advance(99);
  expect(kinds).toEqual([]);
  await clock.advance(1);
  expect(kinds).toEqual(['idle']);
});

it('arms nothing without a limit, and leaves nothing armed', () => {
  const { clock } = setUp({});
  expect(clock.pending).toBe(0);
  const limited = setUp({ idleMs: 1, timeoutMs: 1 });
  limited.run.release();
  expect(limited.clock.pending).toBe(0);
});
