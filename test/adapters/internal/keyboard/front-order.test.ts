import { expect, it } from 'vitest';

import { FrontOrder } from '../../../../src/adapters/internal/keyboard/front-order.ts';

it('the highest claim is in front, among equals the newest, and always exactly one', () => {
  const order = new FrontOrder();
  const [a, b] = [{ claim: 1 }, { claim: 1 }];
  const first = order.add(a);
  order.add(b);
  const inFront = () => [a, b].map((one) => order.isInFront(one));
  expect(inFront()).toEqual([false, true]);
  a.claim = 2;
  expect(inFront()).toEqual([true, false]);
  first.release();
  expect(inFront()).toEqual([false, true]);
});
