import { expect, it } from 'vitest';
import { isForged, signThought } from '../../../../src/testing/model-server/transcript-rules/thought-signature.ts';

it('a signature is of one thought in one place, and the same each time', () => {
  expect(signThought('1', 'hm')).toBe(signThought('1', 'hm'));
  expect(new Set([signThought('1', 'hm'), signThought('1_2', 'hm'), signThought('1', 'Hm')]).size).toBe(3);
});

it.each([
  ['the thought that was signed', signThought('1_2', 'hm'), 'hm', false],
  ['another thought', signThought('1_2', 'hm'), 'hmm', true],
  ['no thought at all', signThought('1', 'hm'), undefined, true],
  ['a signature of somebody else', 'EqQBCgIYAhIk', 'hm', false],
])('of %s it is known whether it was changed', (_name, signature, thinking, expected) => {
  expect(isForged(signature, thinking)).toBe(expected);
});
