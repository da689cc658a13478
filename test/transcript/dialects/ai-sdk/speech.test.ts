import { expect, it } from 'vitest';

import { repliesInAISDK, resultsForAISDK } from '../../../../src/transcript/dialects/ai-sdk/speech.ts';
import { callsInModelMessages } from '../../../../src/transcript/dialects/ai-sdk/model/model-calls.ts';

const call = (id: string, more: object = {}) => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: 'x',
  input: {},
  ...more,
});

it('leaves to the SDK what it has run, and to the provider what it runs', () => {
  const result = { type: 'tool-result', toolCallId: 'a', toolName: 'x', output: { type: 'text', value: 'y' } };
  const messages = [
    { role: 'assistant' as const, content: [call('a'), call('b'), call('c', { providerExecuted: true })] },
    { role: 'tool' as const, content: [result] },
  ];
  expect(repliesInAISDK({ response: { messages } })).toEqual(messages);
  expect(repliesInAISDK({ messages })).toEqual(messages);
  expect(callsInModelMessages(messages).map(({ id }) => id)).toEqual(['b']);
});

it('puts the results of a batch into one message', () => {
  const outcome = { id: 'a', name: 'x', call: {}, ms: 1, status: 'declined' } as const;
  expect(resultsForAISDK([{ outcome, answer: { status: 'declined', text: 'no' } }])).toMatchObject([
    { role: 'tool', content: [{ toolCallId: 'a', output: { type: 'execution-denied', reason: 'no' } }] },
  ]);
});
