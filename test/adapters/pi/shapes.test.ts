import { expect, it } from 'vitest';

import { partsOf } from '../../../src/adapters/pi/shapes.ts';
import { replyOf, textPart } from './support/fake-pi.ts';

it('the parts of a message are those of its list, and of anything else none', () => {
  expect(partsOf(replyOf(textPart('a')))).toEqual([textPart('a')]);
  expect([partsOf({ content: 'a' }), partsOf(null), partsOf(7)]).toEqual([[], [], []]);
});
