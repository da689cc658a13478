import { expect, it } from 'vitest';

import { measureSlowness } from '../../../../src/testing/program/stage/slowness.ts';

it('slowness is never below one, grows with what was measured, and has an end', () => {
  const measured = (ms: number): number => {
    const times = [0, ms];
    return measureSlowness(
      () => undefined,
      () => times.shift() ?? 0,
    );
  };
  expect([measured(10), measured(120), measured(60_000)]).toEqual([1, 2, 8]);
});
