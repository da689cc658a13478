import { expect, it } from 'vitest';
import {
  isBlank,
  isFields,
  isJSON,
  listOf,
  ofType,
} from '../../../../src/testing/model-server/transcript-rules/fields.ts';

it('the reader of fields takes objects out of anything', () => {
  expect([{}, [], null, 'x', 1].map(isFields)).toEqual([true, false, false, false, false]);
  expect(listOf([{ a: 1 }, null, 'x', []])).toEqual([{ a: 1 }]);
  expect(listOf('x')).toEqual([]);
  expect(ofType([{ type: 'a' }, { type: 'b' }], 'b')).toEqual([{ type: 'b' }]);
});

it('the reader of fields knows a blank text and a JSON text', () => {
  expect([' \n', '', undefined, 'x'].map(isBlank)).toEqual([true, true, true, false]);
  expect(['{}', '1', '{"a', '', undefined, {}].map(isJSON)).toEqual([true, true, false, false, false, false]);
});
