import { expect, it } from 'vitest';

import {
  callsInLangChain,
  replyInLangChain,
  resultsForLangChain,
} from '../../../../src/transcript/dialects/langchain/speech.ts';

it('gives the very message, with its class', () => {
  class AIMessage {
    content = 'Hi.';
    getType() {
      return 'ai';
    }
  }
  const message = new AIMessage();
  expect(replyInLangChain(message)?.[0]).toBe(message);
});

it('runs no call that LangChain calls invalid', () => {
  const invalid_tool_calls = [{ id: 'b', name: 'read', args: '{"pa' }];
  const tool_calls = [{ id: 'a', name: 'read', args: {} }];
  const message = { role: 'assistant', content: '', tool_calls, invalid_tool_calls };
  expect(callsInLangChain([message]).map(({ id }) => id)).toEqual(['a']);
});

it('says in the message whether the call failed', () => {
  const outcome = { id: 'a', name: 'read', call: {}, ms: 1, status: 'failed', error: 1 } as const;
  expect(resultsForLangChain([{ outcome, answer: { status: 'failed', text: 'no' } }])).toEqual([
    { role: 'tool', tool_call_id: 'a', name: 'read', content: 'no', status: 'error' },
  ]);
});
