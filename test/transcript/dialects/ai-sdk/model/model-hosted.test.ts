import { expect, it } from 'vitest';

import { aiSDKHosted } from '../../../../../src/transcript/dialects/ai-sdk/model/model-hosted.ts';
import { lostNote } from '../../../../../src/core/foundation/results/lost-note.ts';

const begun = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'I look.' },
    { type: 'tool-call', toolCallId: 's', toolName: 'web_search', input: {}, providerExecuted: true },
  ],
} as never;
const ended = { role: 'assistant', content: [{ type: 'tool-result', toolCallId: 's' }] } as never;

it('a call of the provider stays where it has its result', () => {
  expect(aiSDKHosted.settle([begun, ended], true)).toEqual([begun, ended]);
});

it('a call of the provider without a result is taken out and told', () => {
  expect(aiSDKHosted.read([begun], true).notes).toEqual([lostNote(['web_search'])]);
  expect(aiSDKHosted.settle([begun], true)).toEqual([
    { role: 'assistant', content: [{ type: 'text', text: 'I look.' }] },
    { role: 'user', content: lostNote(['web_search']) },
  ]);
});

it('a result is of the last call with its id: not of the provider’s, where that was one of ours', () => {
  const own = {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 's', toolName: 'read', input: {} }],
  } as never;
  const result = { role: 'tool', content: [{ type: 'tool-result', toolCallId: 's' }] } as never;
  expect(aiSDKHosted.read([begun, own, result], true).notes).toEqual([lostNote(['web_search'])]);
});

it('a call of the provider that a person is asked about is none that it runs', () => {
  const call = { type: 'tool-call', toolCallId: 's', toolName: 'pay', input: {}, providerExecuted: true };
  const asks = { type: 'tool-approval-request', toolCallId: 's', approvalId: 'a' };
  const reply = { role: 'assistant' as const, content: [call, asks] };
  expect(aiSDKHosted.settle([reply], true)).toEqual([reply]);
  expect(aiSDKHosted.read([reply], true)).toEqual({ notes: [], isOpen: false });
});
