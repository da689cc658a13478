import { expect, it } from 'vitest';
import { parseArguments } from '../../../../src/adapters/llm/folds/fold.ts';

it.each([
  ['{"a":1}', { value: { a: 1 } }],
  ['', { value: {} }],
  [' ', { value: {} }],
  ['{"a":', undefined],
])('reads %j as %o', (json, parsed) => {
  expect(parseArguments(json)).toEqual(parsed);
});
