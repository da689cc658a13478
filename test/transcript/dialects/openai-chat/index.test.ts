import { expect, it } from 'vitest';

import { openaiChat } from '../../../../src/transcript/dialects/openai-chat/index.ts';
import { servesALoop } from '../../support/loop-contract.ts';
import { cutReply } from '../../support/cut-reply.ts';
import { messageWriter } from '../../../../src/transcript/index.ts';

const call = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"path":"a.txt"}' } };
const message = { role: 'assistant', content: 'Hello.', tool_calls: [call] };

servesALoop({
  dialect: openaiChat,
  prompt: { role: 'user', content: 'Go.' },
  whole: { id: 'chatcmpl_1', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] },
  fold: { message, text: 'Hello.', calls: [call], isComplete: false },
  empty: { choices: [{ message: { role: 'assistant', content: null } }] },
});

it('a whole reply without a choice is refused by name, and is no reply where it was cut', () => {
  const blocked = { id: 'chatcmpl_1', choices: [], prompt_filter_results: [] };
  const error = /^reply must be a reply of openai-chat/;
  expect(() => messageWriter(openaiChat).reply(blocked)).toThrow(error);
  expect(() => openaiChat.calls({ status: 'completed', value: blocked })).toThrow(error);
  expect(cutReply(openaiChat, blocked)).toEqual([]);
});
