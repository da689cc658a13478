import { expect, it } from 'vitest';

import { isJsonText, isPlainObject } from '../../../src/transcript/dialects/json-checks.ts';

it.each([
  ['{}', true],
  ['[1]', true],
  ['null', true],
  ['{"half": tr', false],
  ['', false],
  [{}, false],
  [undefined, false],
])('isJsonText of %j is %s', (text, wanted) => {
  expect(isJsonText(text)).toBe(wanted);
});

it.each([
  [{}, true],
  [Object.create(null), true],
  [[], false],
  [null, false],
  ['{}', false],
])('isPlainObject of %j is %s', (value, wanted) => {
  expect(isPlainObject(value)).toBe(wanted);
});
