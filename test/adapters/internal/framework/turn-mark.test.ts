import { expect, it } from 'vitest';

import { isMarked, markOf } from '../../../../src/adapters/internal/framework/turn-mark.ts';
import type { Turn } from '../../../../src/index.ts';

it('a mark says whose something is, in its copies and behind its views too', () => {
  const [one, other] = [{}, {}] as [Turn, Turn];
  const marked = { [markOf(one)]: true };
  expect([marked, { ...marked }, new Proxy(marked, {})].map((value) => isMarked(value, one))).toEqual([
    true,
    true,
    true,
  ]);
  expect([isMarked(marked, other), isMarked({}, one), isMarked('model', one), isMarked(null, one)]).not.toContain(true);
  expect(JSON.stringify(marked)).toBe('{}');
});
