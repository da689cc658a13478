import { describe, expect, it } from 'vitest';

import { Batch } from '../../../src/adapters/redis/batch.ts';

/** A batch whose engine answers each number with its double, and refuses 13. */
function stage(most: number) {
  const sent: (readonly number[])[] = [];
  const batch = new Batch((items: readonly number[]) => {
    sent.push(items);
    return items.includes(13) ? Promise.reject(new Error('refused')) : Promise.resolve(items.map((item) => item * 2));
  }, most);
  return { batch, sent };
}

describe('a batch', () => {
  it('a batch sends what is added in one turn at once, also by jobs that come after, and answers in order', async () => {
    const { batch, sent } = stage(10);
    const first = [batch.add(1), Promise.resolve().then(() => batch.add(2)), batch.add(3)];
    expect(sent).toEqual([]);
    expect(await Promise.all(first)).toEqual([2, 4, 6]);
    expect(await batch.add(4)).toBe(8);
    expect(sent).toEqual([[1, 3, 2], [4]]);
  });

  it('a batch is sent when it is full, and the rest with the next', async () => {
    const { batch, sent } = stage(2);
    const all = [1, 2, 3, 4, 5].map((item) => batch.add(item));
    expect(sent).toEqual([[1, 2], [3, 4]]); // prettier-ignore
    expect(await Promise.all(all)).toEqual([2, 4, 6, 8, 10]);
    expect(sent).toHaveLength(3);
  });

  it('a batch that is refused is refused for each, and for no other', async () => {
    const { batch } = stage(2);
    const settled = await Promise.allSettled([12, 13, 14].map((item) => batch.add(item)));
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });
});
