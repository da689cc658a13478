import { expect, it } from 'vitest';

import { callsInChat, replyInChat, resultsForChat } from '../../../src/transcript/chat/speech.ts';

it('reads a message, a whole completion and a text', () => {
  const message = { role: 'assistant', content: 'Hi.' };
  for (const value of [message, { choices: [{ message }] }, { message }, 'Hi.']) {
    expect(replyInChat(value)).toEqual([message]);
  }
  expect(replyInChat({ choices: [] })).toBeUndefined();
});

it('gives arguments that are no JSON, and the input of a custom tool, as they came', () => {
  const body = { name: 'read', arguments: '{"pa' };
  const custom = { id: 'b', type: 'custom', custom: { name: 'sh', input: 'ls' } };
  const tool_calls = [{ id: 'a', type: 'function', function: body }, custom];
  const message = { role: 'assistant' as const, content: null, tool_calls };
  expect(callsInChat([message]).map(({ input }) => input)).toEqual(['{"pa', 'ls']);
});

it('gives each result a message of its own', () => {
  const outcome = { id: 'a', name: 'read', call: {}, ms: 1, status: 'completed', value: 7 } as const;
  expect(resultsForChat([{ outcome, answer: { status: 'completed', value: 7 } }])).toEqual([
    { role: 'tool', tool_call_id: 'a', content: '7' },
  ]);
});
