import { expect, it } from 'vitest';

import { createIdBook } from '../../../src/transcript/reading/id-book.ts';
import { anyId } from '../../../src/transcript/reading/ids.ts';

it('pairs calls and results without ids by their order, and by the names of their tools', () => {
  const book = createIdBook(anyId, 'normalise');
  expect([book.call(undefined, 'a', () => '{}'), book.call('', 'b', () => '{}')]).toEqual(['call_1', 'call_2']);
  expect([book.result(undefined, 'b'), book.result('')]).toEqual(['call_2', 'call_1']);
});

it('tells a copy from another call by name and arguments', () => {
  const book = createIdBook(anyId, 'normalise');
  expect(['{}', '{}', '{"n":1}'].map((input) => book.call('a', 'x', () => input))).toEqual(['a', 'a', 'a_copy2']);
  expect(['a', 'a', 'a'].map((id) => book.result(id))).toEqual(['a', 'a_copy2', 'a_copy2']);
});

it.each([40, 41, 300])('leaves room for the mark of a copy in an id of %i characters', (length) => {
  const book = createIdBook(anyId, 'normalise');
  const ids = ['1', '2', '3'].map((input) => book.call('c'.repeat(length), 'x', () => input));
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
  expect(ids.map(() => book.result('c'.repeat(length)))).toEqual(ids);
});

it('keeps the ids of a server that has its own, and remembers older replies', () => {
  const book = createIdBook(anyId, 'keep');
  expect(book.call('f:0', 'x', () => '{}')).toBe('f:0');
  book.beginReply();
  expect([book.result('f:0'), book.result('g:0'), book.result('')]).toEqual(['f:0', 'g:0', undefined]);
});
