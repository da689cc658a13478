import { expect, it } from 'vitest';

import { CancellationTokenSource, CancelledError } from '../../../../src/index.ts';
import { comes, Patience, takeAll } from '../../../../src/testing/program/stage/patience.ts';

it('what comes is told from what does not, from what nobody could see, and from what nobody wants any more', async () => {
  expect([await comes(() => true, 1000), await comes(() => false, 1)]).toEqual([true, false]);
  await expect(comes(() => Promise.reject(new Error('no ps')), 1000)).rejects.toThrow('no ps');
  const stop = new CancellationTokenSource();
  stop.cancel('user');
  await expect(comes(() => false, 60_000, stop.token)).rejects.toThrow(CancelledError);
});

it('a limit grows with how slow the machine is found, as the run begins and where the limit has passed', async () => {
  const slow = [2, 4, 3, 3];
  let asked = 0;
  const patience = await Patience.begin(undefined, () => Promise.resolve(slow[asked++] ?? 1));
  expect([patience.factor, patience.within(10)]).toEqual([2, 20]);
  // What comes only after the limit of the beginning, comes.
  expect(await patience.comes(() => asked > 1, 1)).toBe(true);
  expect([patience.factor, patience.within(10)]).toEqual([4, 40]);
  expect([await patience.comes(() => false, 1), patience.factor, asked]).toEqual([false, 4, 3]);
});

it('nobody who has stopped a check is waited for', async () => {
  const stop = new CancellationTokenSource();
  const patience = await Patience.begin(stop.token, () => Promise.resolve(1));
  stop.cancel('user');
  await expect(patience.watch(60_000)).rejects.toThrow(CancelledError);
  await expect(Patience.begin(stop.token)).rejects.toThrow(CancelledError);
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
