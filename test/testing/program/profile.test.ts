import { expect, it } from 'vitest';

import { readyPattern, throughOf } from '../../../src/testing/program/profile.ts';

it('a program that takes one prompt and ends has no terminal to be spoken to in', () => {
  expect(throughOf({ command: ['agent', '-p', '{prompt}'] })).toBe('lines');
  expect(throughOf({ command: ['agent'] })).toBe('terminal');
  expect(throughOf({ command: ['agent'], through: 'acp' })).toBe('acp');
});

it('a pattern for a screen is read as a regular expression', () => {
  expect(readyPattern('> $').test('hello\n> ')).toBe(true);
});
