import { expect, it } from 'vitest';

import { measureSlowness } from '../../../../src/testing/program/stage/slowness.ts';

it('slowness is never below one, grows with what was measured, and has an end', async () => {
  const measured = (ms: number): Promise<number> => {
    const times = [0, ms];
    return measureSlowness(
      () => Promise.resolve(),
      () => times.shift() ?? 0,
    );
  };
  expect([await measured(10), await measured(120), await measured(60_000)]).toEqual([1, 2, 16]);
});
