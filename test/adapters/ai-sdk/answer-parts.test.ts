import { expect, it } from 'vitest';
import { itemIdsOf, messagePart, unnamedPart } from '../../../src/adapters/ai-sdk/answer-parts.ts';

it.each([[undefined], [null], [{}], [{ openai: null }], [{ openai: { itemId: 7 } }]])('%o names no item', (options) => {
  expect(itemIdsOf(options)).toEqual([]);
});

it('a part without the name of an item is itself', () => {
  const part = { type: 'text', text: 'x', providerOptions: { p: { cited: 1 } } };
  expect(unnamedPart(part)[0]).toBe(part);
});

it('a part loses the name of its item and nothing else', () => {
  const options = { openai: { itemId: 'msg_1', phase: 'final' }, other: 1 };
  expect(unnamedPart({ type: 'text', text: 'x', providerOptions: options })).toEqual([
    { type: 'text', text: 'x', providerOptions: { openai: { phase: 'final' }, other: 1 } },
  ]);
});

it.each([
  [{ itemId: 'rs_1', reasoningEncryptedContent: null }, 0],
  [{ itemId: 'rs_1', reasoningEncryptedContent: 'x' }, 1],
])('a thought of an item with %o is kept %i times', (openai, count) => {
  expect(unnamedPart({ type: 'reasoning', text: 'x', providerOptions: { openai } })).toHaveLength(count);
});

it('a part that a request cannot hold is none', () => {
  expect(messagePart({ type: 'source' })).toEqual([]);
});
