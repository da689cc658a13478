import { expect, it } from 'vitest';

import { oddValues } from './odd-values.ts';

it('odd values are what JSON refuses, changes, or has no word for', () => {
  const outcomes = oddValues().map((value) => {
    try {
      return (JSON.stringify(value) as string | undefined) === undefined ? 'nothing' : 'a text';
    } catch {
      return 'refused';
    }
  });
  expect(new Set(outcomes)).toEqual(new Set(['a text', 'nothing', 'refused']));
});

it('odd values are new each time, so that who freezes one harms nobody', () => {
  const [one, other] = [oddValues(), oddValues()];
  const objects = one.filter((value): value is object => typeof value === 'object' && value !== null);
  expect(objects.filter((value) => other.includes(value))).toEqual([]);
});
