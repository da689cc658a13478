import { fc, it as property } from '@fast-check/vitest';
import { expect, it } from 'vitest';

import { endOfJson } from '../../../src/adapters/ag-ui/open-json.ts';

it.each([
  ['', '{}'],
  ['{"to', '":null}'],
  ['{"to":', 'null}'],
  ['{"to":"Ann', '"}'],
  ['{"to":"Ann\\', '\\"}'],
  ['{"to":"\\u00', '00"}'],
  ['{"to":[1,', 'null]}'],
  ['{"to":{"a":tr', 'ue}}'],
  ['{"a":1,', '"":null}'],
  ['{"a":"}"', '}'],
  ['{"to":"Ann"}', ''],
  ['{to', ''],
])('the end of %s is %s', (json, end) => {
  expect(endOfJson(json)).toBe(end);
});

property.prop([fc.json(), fc.nat()])('whatever JSON is cut at, its end makes it whole', (json, at) => {
  const cut = json.slice(0, at % (json.length + 1));
  expect(() => void JSON.parse(cut + endOfJson(cut))).not.toThrow();
});
