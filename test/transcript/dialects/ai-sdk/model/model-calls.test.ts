import { expect, it } from 'vitest';

import { callsInModelMessages } from '../../../../../src/transcript/dialects/ai-sdk/model/model-calls.ts';

it('finds the calls that the caller has to run: none of the provider, and none that has a result', () => {
  const call = (toolCallId: string, more: object = {}) => ({
    ...{ type: 'tool-call', toolCallId, toolName: 'read', input: { id: toolCallId } },
    ...more,
  });
  const half = call('c', { input: '{"' });
  const messages = [
    { role: 'assistant', content: [call('a'), call('s', { providerExecuted: true }), call('b')] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'b', toolName: 'read' }] },
    { role: 'assistant', content: [half, call('d', { toolName: '' })] },
  ] as const;
  expect(callsInModelMessages(messages)).toEqual([
    { id: 'a', name: 'read', input: { id: 'a' }, raw: call('a') },
    { id: 'c', name: 'read', input: '{"', raw: half },
  ]);
});
