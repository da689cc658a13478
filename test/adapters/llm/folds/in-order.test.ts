import { expect, it } from 'vitest';
import { InOrder } from '../../../../src/adapters/llm/folds/in-order.ts';

it('pieces are in the order of their places, whatever the numbers', () => {
  const pieces = new InOrder<string>();
  expect([pieces.last, pieces.values()]).toEqual([-1, []]);
  pieces.set(4e9, 'c');
  pieces.set(0, 'a');
  pieces.set(7, 'b');
  pieces.set(7, 'B');
  expect([pieces.last, pieces.values(), pieces.get(7), pieces.get(1)]).toEqual([4e9, ['a', 'B', 'c'], 'B', undefined]);
  pieces.set(-1, 'first');
  expect(pieces.values()).toEqual(['first', 'a', 'B', 'c']);
});
