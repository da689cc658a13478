import { expect, it } from 'vitest';
import {
  PendingReads,
  finished,
  openRead,
  openedRead,
} from '../../../../src/adapters/internal/stream/pending-reads.ts';

it('settles each promise by its own read', async () => {
  const [a, readA, b, readB] = [openRead<number>(), openedRead<number>(), openRead<number>(), openedRead<number>()];
  readB.resolve(finished);
  readA.reject('no');
  await expect(b).resolves.toEqual({ done: true, value: undefined });
  await expect(a).rejects.toBe('no');
});

it('keeps reads in order, whichever is answered first', () => {
  const reads = new PendingReads<number>();
  const [a, b, c] = [1, 2, 3].map(() => {
    void openRead<number>();
    return openedRead<number>();
  }) as [
    ReturnType<typeof openedRead<number>>,
    ReturnType<typeof openedRead<number>>,
    ReturnType<typeof openedRead<number>>,
  ];
  for (const read of [a, b, c]) reads.add(read);
  expect([reads.first === a, reads.has(b), reads.isEmpty]).toEqual([true, true, false]);
  reads.delete(a);
  expect([reads.first, reads.isEmpty]).toEqual([undefined, false]);
  reads.add(a); // behind the others that are pending still
  expect(reads.takeAll()).toEqual([b, c, a]);
  expect([reads.isEmpty, reads.has(a)]).toEqual([true, false]);
  reads.add(a);
  reads.add(b);
  reads.delete(b);
  reads.delete(c);
  expect(reads.takeAll()).toEqual([a]);
});
