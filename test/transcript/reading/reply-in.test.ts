import { describe, expect, it } from 'vitest';

import { rulesOf } from '../../../src/transcript/dialects/create-dialect.ts';
import { dialectNamed, type DialectName } from '../../../src/transcript/dialects/table.ts';
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

const candidate = (parts: readonly object[], finishReason?: string): object => ({
  candidates: [{ content: { role: 'model', parts }, finishReason }],
});
const goesOn = { functionCall: { name: 'read', willContinue: true } };

it.each<[DialectName, string, unknown, string]>([
  ['anthropic', 'its limit', { stop_reason: 'max_tokens' }, 'limit'],
  ['anthropic', 'a refusal', { stop_reason: 'refusal' }, 'refused'],
  ['anthropic', 'a pause between what it runs', { stop_reason: 'pause_turn' }, 'paused'],
  ['anthropic', 'a call', { stop_reason: 'tool_use', choices: [], response_metadata: 'none' }, 'whole'],
  ['openai-chat', 'its limit', { choices: [{ finish_reason: 'length' }] }, 'limit'],
  ['openai-chat', 'a filter', { choices: [{ finish_reason: 'content_filter' }] }, 'refused'],
  ['openai-chat', 'its limit, as a choice', { finish_reason: 'length', message: {} }, 'limit'],
  ['gemini', 'its limit', { candidates: [{ finishReason: 'MAX_TOKENS' }] }, 'limit'],
  ['gemini', 'a filter', { candidates: [{ finishReason: 'IMAGE_SAFETY' }] }, 'refused'],
  ['gemini', 'a call that goes on', candidate([{ text: 'Hm.' }, goesOn]), 'unfinished'],
  ['gemini', 'a call that goes on, as a content', { role: 'model', parts: [goesOn] }, 'unfinished'],
  ['gemini', 'a call that went on', candidate([goesOn, { text: 'Hm.' }]), 'unknown'],
  ['gemini', 'its limit in a call that goes on', candidate([goesOn], 'MAX_TOKENS'), 'limit'],
  ['ollama', 'its limit', { done_reason: 'length' }, 'limit'],
  ['ollama', 'no word, but that it is done', { message: {}, done: true }, 'whole'],
  ['ai-sdk', 'a filter', { finishReason: 'content-filter' }, 'refused'],
  ['langchain', 'its limit', { response_metadata: { stop_reason: 'max_tokens' } }, 'limit'],
  ['langchain', 'its limit in two chunks', { response_metadata: { finish_reason: 'lengthlength' } }, 'limit'],
  ['langchain', 'the limit of a stream of Anthropic’s', { additional_kwargs: { stop_reason: 'max_tokens' } }, 'limit'],
  [
    'langchain',
    'its limit, written down',
    { lc: 1, kwargs: { response_metadata: { finish_reason: 'length' } } },
    'limit',
  ],
  [
    'langchain',
    'the end of a response',
    { response_metadata: { status: 'completed', incomplete_details: null } },
    'whole',
  ],
  [
    'openai-agents',
    'the limit of a response',
    { output: [], providerData: { status: 'incomplete', output: [] } },
    'limit',
  ],
  [
    'openai-agents',
    'the limit of a choice',
    { output: [], providerData: { choices: [{ finish_reason: 'length' }] } },
    'limit',
  ],
  ['openai-agents', 'an item that was cut', { output: [{ type: 'function_call', status: 'incomplete' }] }, 'limit'],
  ['openai-responses', 'an item that was cut', { output: [{ type: 'function_call', status: 'incomplete' }] }, 'limit'],
  ['openai-responses', 'such an item in a list', [{ type: 'function_call', status: 'incomplete' }], 'limit'],
  [
    ...(['openai-responses', 'a filter'] as const),
    { output: [], status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
    'refused',
  ],
  ['openai-responses', 'that it waits', { output: [], status: 'queued' }, 'unfinished'],
  ['openai-responses', 'a failure', { output: [], status: 'failed' }, 'failed'],
  ['openai-responses', 'nothing, as a message', { role: 'assistant', status: 'failed', content: 'Hi' }, 'unknown'],
])('how a reply of %s ended is found where it says %s', (name, _what, reply, end) => {
  expect(endOf(rulesOf({ dialect: dialectNamed(name) as never }), reply)).toBe(end);
});

it.each([
  ['at its limit', { isComplete: true, stopReason: 'length' }, 'limit'],
  ['without a word', { isComplete: true }, 'whole'],
  ['early', { isComplete: false, stopReason: 'end_turn' }, 'unfinished'],
  ['in a failure', { isComplete: false, stopReason: 'error' }, 'failed'],
  ['not at all', undefined, 'unknown'],
])('a fold whose stream ended %s says so in the words of all', (_how, reply, end) => {
  expect(endOf({ ended: () => 'refusal' }, reply)).toBe(end);
});

it('a reader of ends asks nothing of a reply but what its dialect has: a field may be one that throws', () => {
  const reply = {
    finishReason: 'stop',
    get output(): never {
      throw new Error('No output generated.');
    },
  };
  expect(endOf(rulesOf({ dialect: dialectNamed('ai-sdk') as never }), reply)).toBe('whole');
});
