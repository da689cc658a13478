import { expect, it } from 'vitest';

import { CancellationTokenSource, CancelledError } from '../../../../src/index.ts';
import { comes, takeAll } from '../../../../src/testing/program/stage/patience.ts';

it('what comes is told from what does not, from what nobody could see, and from what nobody wants any more', async () => {
  expect([await comes(() => true, 1000), await comes(() => false, 1)]).toEqual([true, false]);
  await expect(comes(() => Promise.reject(new Error('no ps')), 1000)).rejects.toThrow('no ps');
  const stop = new CancellationTokenSource();
  stop.cancel('user');
  await expect(comes(() => false, 60_000, stop.token)).rejects.toThrow(CancelledError);
});

it('every step is taken, and the first fault is told', async () => {
  const taken: number[] = [];
  const fail = (n: number) => () => {
    taken.push(n);
    throw new Error(`step ${String(n)}`);
  };
  await expect(takeAll([fail(1), fail(2), () => Promise.resolve(taken.push(3))])).rejects.toThrow('step 1');
  expect(taken).toEqual([1, 2, 3]);
});
