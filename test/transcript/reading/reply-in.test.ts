import { expect, it } from 'vitest';

import { replyIn } from '../../../src/transcript/reading/reply-in.ts';

const read = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

it('finds a reply as it is, as the message of a fold, and in what its provider wraps around it', () => {
  expect(replyIn('x', read)).toBe('x');
  expect(replyIn({ message: 'x', isComplete: false }, read)).toBe('x');
  expect(replyIn({ choices: ['x'] }, read, (value) => (value as { choices: unknown[] }).choices[0])).toBe('x');
});

it('finds none in anything else', () => {
  for (const value of [7, null, undefined, [], {}, { message: 7 }]) expect(replyIn(value, read)).toBeUndefined();
});
