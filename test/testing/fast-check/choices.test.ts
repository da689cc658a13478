import { expect, it } from 'vitest';

import { requireChoices, requireCount, shown } from '../../../src/testing/fast-check/choices.ts';

it('choices are a list of at least one that exists, or are left out', () => {
  requireChoices('ids', undefined, []);
  requireChoices('ids', ['a', 'a'], ['a', 'b']);
  for (const [given, words] of [
    [[], 'ids must name at least one'],
    [['a', 'c'], 'ids names "c", which does not exist'],
    [[undefined, 7], 'ids names 7, which does not exist'],
    ['a', 'ids must be a list, got "a"'],
    [null, 'ids must be a list, got null'],
  ] as const) {
    expect(() => {
      requireChoices('ids', given as never, ['a', 'b', undefined as never]);
    }).toThrow(new TypeError(words));
  }
});

it.each([0, -1, 1.5, Number.NaN, Infinity, '3', undefined])('%s is no count', (given) => {
  expect(() => {
    requireCount('maxRounds', given as never);
  }).toThrow(new RangeError(`maxRounds must be a whole number from 1, got ${shown(given)}`));
});

it('what is shown of a value is short, and there is a text for each', () => {
  expect([shown('a'), shown(Symbol('s')), shown({ a: { b: {} } }), shown(Object.create(null))]).toEqual([
    '"a"',
    'Symbol(s)',
    '{ a: [Object] }',
    '[Object: null prototype] {}',
  ]);
});
