import { describe, expect, it } from 'vitest';

import { isLimited, messagesIn, replyIn } from '../../../src/transcript/reading/reply-in.ts';

const read = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

it('finds a reply as it is, as the message of a fold, and in what its provider wraps around it', () => {
  expect(replyIn('x', read)).toBe('x');
  expect(replyIn({ message: 'x', isComplete: false }, read)).toBe('x');
  expect(replyIn({ choices: ['x'] }, read, (value) => (value as { choices: unknown[] }).choices[0])).toBe('x');
});

it('finds none in anything else', () => {
  for (const value of [7, null, undefined, [], {}, { message: 7 }]) expect(replyIn(value, read)).toBeUndefined();
});

describe('messagesIn', () => {
  const message = { role: 'assistant', content: 'Hi' };
  it.each([
    ['itself', message],
    ['a list', [message]],
    ['a fold', { text: 'Hi', message }],
    ['a fold of several', { message: { role: 'assistant' }, messages: [message] }],
    ['a response of items', { output: [message] }],
    ['a choice', { choices: [{ message }] }],
    ['a candidate', { candidates: [{ content: message }] }],
    ['a result of steps', { response: { messages: [message] } }],
  ])('finds a message in %s', (_form, value) => {
    expect(messagesIn(value)).toEqual([message]);
  });

  it.each([undefined, null, 7, 'Hi', [], [null, 'Hi']])('finds none in %j', (value) => {
    expect(messagesIn(value)).toEqual([]);
  });
});

it.each([
  ['the Messages API', { stop_reason: 'max_tokens' }, true],
  ['Chat Completions', { choices: [{ finish_reason: 'length' }] }, true],
  ['Gemini', { candidates: [{ finishReason: 'MAX_TOKENS' }] }, true],
  ['Ollama', { done_reason: 'length' }, true],
  ['the AI SDK', { finishReason: 'length' }, true],
  ['LangChain', { response_metadata: { stop_reason: 'max_tokens' } }, true],
  ['a reply that called a tool', { stop_reason: 'tool_use', choices: [], response_metadata: 'none' }, false],
])('a limit that ended a reply is found where %s says so', (_whose, reply, isSo) => {
  expect(isLimited(reply)).toBe(isSo);
});
