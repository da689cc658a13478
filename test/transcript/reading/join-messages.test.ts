import { expect, it } from 'vitest';

import { addAll, addJoined } from '../../../src/transcript/reading/join-messages.ts';

/** A capital takes in the small letters before it; a digit is not sent; Z is not the first. */
const rules = {
  joins: {
    isOne: (before: string, text: string) => /^[a-z]+$/.test(before) && /[A-Z]/.test(text),
    join: (run: readonly string[]) => run.join(''),
    opening: (text: string) => (text.includes('Z') ? '-' : undefined),
    add: addJoined,
  },
  isSent: (text: string) => !/\d/.test(text),
};

it('messages are added as they are where nothing is to be one', () => {
  const list = ['a'];
  expect(addAll({}, list, ['B', 'c'])).toBe(list);
  expect(list).toEqual(['a', 'B', 'c']);
});

it('a message takes in all before it that it is to be one with, and no more', () => {
  expect(addAll(rules, ['A', 'b', 'c'], ['D', 'e', 'F'])).toEqual(['A', 'bcD', 'eF']);
});

it('what is not sent stays behind what it stood behind, or what that became', () => {
  expect(addAll(rules, ['A', 'b', '1', 'c', '2'], ['3', 'D', '4'])).toEqual(['A', 'bcD', '1', '2', '3', '4']);
});

it('what cannot be the first has something before it, also where it takes in all that there is', () => {
  expect(addAll(rules, [], ['Z', 'Z'])).toEqual(['-', 'Z', 'Z']);
  expect(addAll(rules, ['1'], ['a', 'b', 'Z'])).toEqual(['1', '-', 'abZ']);
  expect(addAll(rules, ['A'], ['b', 'Z'])).toEqual(['A', 'bZ']);
});
