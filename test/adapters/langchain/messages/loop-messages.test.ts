import { expect, it } from 'vitest';
import { callIdsIn, langChainMessages, messagesOf } from '../../../../src/adapters/langchain/messages/loop-messages.ts';

it('the input of a model is a list, a prompt, or a text', () => {
  expect(messagesOf(['go'])).toEqual(['go']);
  expect(messagesOf({ toChatMessages: () => ['go'] })).toEqual(['go']);
  expect(messagesOf('go')).toEqual([{ role: 'user', content: 'go' }]);
  expect(messagesOf(undefined)).toEqual([{ role: 'user', content: undefined }]);
});

it('the calls of an answer are known by their ids', () => {
  expect(callIdsIn({ tool_calls: [{ id: 'a' }, {}, { id: 'b' }] })).toEqual(['a', 'b']);
  expect([callIdsIn({}), callIdsIn(undefined), callIdsIn('hi')]).toEqual([[], [], []]);
});

it('a result is the very message that the graph made of it, in any form; one that holds nothing is not', () => {
  const plain = { role: 'tool', tool_call_id: 'a', content: 'ok' };
  const typed = { type: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'ok' }] };
  const instance = { getType: () => 'tool', tool_call_id: 'c', content: 'ok' };
  const empty = { role: 'tool', tool_call_id: 'd', content: '' };
  const others = ['go', null, { role: 'user', content: 'x', tool_call_id: 'e' }, { role: 'tool', content: 'x' }];
  const found = langChainMessages.resultsIn([plain, typed, instance, empty, { ...empty, content: [] }, ...others]);
  expect(found).toEqual([
    ['a', { message: plain }],
    ['b', { message: typed }],
    ['c', { message: instance }],
    ['d', { output: '' }],
    ['d', { output: [] }],
  ]);
  expect((found[2]?.[1] as { message: unknown }).message).toBe(instance);
});
