import { describe, expect, it } from 'vitest';

import { isHeld, withOwnIds } from '../../../src/adapters/openai-agents/own-ids.ts';

const call = (callId: string | undefined, name = 'pay') => ({ type: 'function_call', callId, name, arguments: '{}' });
const result = (callId: string) => ({ type: 'function_call_result', callId, output: 'done' });
const user = { role: 'user', content: 'go' };

describe('withOwnIds', () => {
  it('gives a call that has the id of an earlier one an id of its own', () => {
    const input = [user, call('call_0'), result('call_0'), call('call_0_copy2'), result('call_0_copy2'), user];
    const response = { responseId: 'r', output: [call('call_0'), call('call_1')] };
    expect(withOwnIds(response, { input })).toEqual({
      responseId: 'r',
      output: [call('call_0_copy3'), call('call_1')],
    });
    expect(response.output[0]?.callId).toBe('call_0');
  });

  it('gives it to what the provider answered for the call as well', () => {
    const output = [call('call_0'), result('call_0'), call('call_0_copy2', 'mail')];
    expect(withOwnIds({ output }, { input: [call('call_0')] }).output).toEqual([
      call('call_0_copy3'),
      result('call_0_copy3'),
      call('call_0_copy2', 'mail'),
    ]);
  });

  it.each<[string, unknown, { input: unknown; previousResponseId?: string; conversationId?: string }]>([
    ['whose ids are new', { output: [call('call_1'), user] }, { input: [call('call_0')] }],
    ['whose calls have no ids', { output: [call(''), call(undefined)] }, { input: [call('')] }],
    [
      'that goes on from one of the server',
      { output: [call('call_0')] },
      { input: [call('call_0')], previousResponseId: 'r' },
    ],
    ['of a conversation of the server', { output: [call('call_0')] }, { input: [call('call_0')], conversationId: 'c' }],
    ['to a text', { output: [call('call_0')] }, { input: 'go' }],
    ['without output', {}, { input: [] }],
    ['that is nothing', undefined, { input: [] }],
  ])('leaves a response %s as it is', (_what, response, asked) => {
    expect(withOwnIds(response, asked)).toBe(response);
  });
});

it.each([
  [{ input: [], previousResponseId: 'r' }, true],
  [{ input: [], conversationId: 'c' }, true],
  [{ input: [], previousResponseId: null, conversationId: undefined }, false],
])('of %j the provider holds the conversation: %s', (asked, is) => {
  expect(isHeld(asked)).toBe(is);
});
