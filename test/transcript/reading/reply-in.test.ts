import { describe, expect, it } from 'vitest';

import { endOf, messagesIn, replyIn } from '../../../src/transcript/reading/reply-in.ts';

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
  ['the Messages API', { stop_reason: 'max_tokens' }, 'limit'],
  ['the Messages API, with a refusal', { stop_reason: 'refusal' }, 'refused'],
  ['the Messages API, between what it runs', { stop_reason: 'pause_turn' }, 'paused'],
  ['Chat Completions', { choices: [{ finish_reason: 'length' }] }, 'limit'],
  ['Chat Completions, with a filter', { choices: [{ finish_reason: 'content_filter' }] }, 'refused'],
  ['Gemini', { candidates: [{ finishReason: 'MAX_TOKENS' }] }, 'limit'],
  ['Gemini, with a filter', { candidates: [{ finishReason: 'IMAGE_SAFETY' }] }, 'refused'],
  ['Ollama', { done_reason: 'length' }, 'limit'],
  ['Ollama, an older one', { message: {}, done: true }, 'whole'],
  ['the AI SDK', { finishReason: 'content-filter' }, 'refused'],
  ['LangChain', { response_metadata: { stop_reason: 'max_tokens' } }, 'limit'],
  ['LangChain, of a stream of Anthropic’s', { additional_kwargs: { stop_reason: 'max_tokens' } }, 'limit'],
  ['LangChain, written down', { lc: 1, kwargs: { response_metadata: { finish_reason: 'length' } } }, 'limit'],
  ['LangChain, of a response', { response_metadata: { status: 'completed', incomplete_details: null } }, 'whole'],
  ['OpenAI Agents', { output: [], providerData: { status: 'incomplete', output: [] } }, 'limit'],
  ['an item', { output: [{ type: 'function_call', status: 'incomplete' }] }, 'limit'],
  ['a list of items', [{ type: 'function_call', status: 'incomplete' }], 'limit'],
  ['a response', { output: [], status: 'incomplete', incomplete_details: { reason: 'content_filter' } }, 'refused'],
  ['a response in the background', { output: [], status: 'queued' }, 'unfinished'],
  ['a response that failed', { output: [], status: 'failed' }, 'failed'],
  ['a fold', { isComplete: true, stopReason: 'length' }, 'limit'],
  ['a fold of a stream without a word', { isComplete: true }, 'whole'],
  ['a fold of a stream that ended early', { isComplete: false, stopReason: 'end_turn' }, 'unfinished'],
  ['a fold of one that failed', { isComplete: false, stopReason: 'error' }, 'failed'],
  ['a reply that called a tool', { stop_reason: 'tool_use', choices: [], response_metadata: 'none' }, 'whole'],
  ['a message', { role: 'assistant', status: 'failed', content: 'Hi' }, 'unknown'],
  ['nothing', undefined, 'unknown'],
])('how a reply ended is found where %s says so', (_whose, reply, end) => {
  expect(endOf(reply)).toBe(end);
});
