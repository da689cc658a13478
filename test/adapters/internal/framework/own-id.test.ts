import { expect, it } from 'vitest';

import { ownIds } from '../../../../src/adapters/internal/framework/own-id.ts';

it('gives an id that nothing has as it is, and marks every copy with its number', () => {
  const idOf = ownIds(new Set(['old', 'a_copy3']));
  expect(['a', 'a', 'a', 'old', 'b'].map((id) => idOf(id))).toEqual(['a', 'a_copy2', 'a_copy4', 'old_copy2', 'b']);
});

it('keeps what stands behind an id at its end', () => {
  const idOf = ownIds(new Set());
  expect([idOf('a', '|1'), idOf('a', '|1'), idOf('a', '|2')]).toEqual(['a|1', 'a_copy2|1', 'a|2']);
});

it('looks at the ids that are taken at most twice for each call, however many share one', () => {
  let looks = 0;
  const taken = new (class extends Set<unknown> {
    override has(id: unknown): boolean {
      looks += 1;
      return super.has(id);
    }
  })();
  const idOf = ownIds(taken);
  for (let n = 0; n < 5_000; n += 1) idOf('call_0');
  expect([taken.size, looks]).toEqual([5_000, 9_999]);
});
