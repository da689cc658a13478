import { AIMessageChunk } from '@langchain/core/messages';
import { expect, it } from 'vitest';

import { InterruptController } from '../../../../src/index.ts';
import { langchain } from '../../../../src/transcript/dialects/langchain/index.ts';
import { checkTranscript, Conversation } from '../../../../src/transcript/index.ts';

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

it('has a call that LangChain could not read with the text that it could not read', () => {
  const invalid_tool_calls = [{ id: 'b', name: 'read', args: '{"pa' }];
  const tool_calls = [{ id: 'a', name: 'read', args: {} }];
  const message = { role: 'assistant', content: '', tool_calls, invalid_tool_calls };
  expect(callsInLangChain([message]).map(({ id, input }) => [id, input])).toEqual([
    ['a', {}],
    ['b', '{"pa'],
  ]);
});

it('says in the message whether the call failed', () => {
  const outcome = { id: 'a', name: 'read', call: {}, ms: 1, status: 'failed', error: 1 } as const;
  expect(resultsForLangChain([{ outcome, answer: { status: 'failed', text: 'no' } }])).toEqual([
    { role: 'tool', tool_call_id: 'a', name: 'read', content: 'no', status: 'error' },
  ]);
});

it('half of a character at the end of a cut reply does not stay in an instance', async () => {
  const chat = new Conversation(langchain);
  const agent = new InterruptController();
  await chat.runTurn(agent, 'Go.', (turn) =>
    turn.model((context) => {
      context.partial(new AIMessageChunk('ok \ud83d'));
      agent.cancel('user');
      throw context.signal.reason;
    }),
  );
  expect(checkTranscript(chat.messages, { dialect: langchain })).toEqual([]);
});
