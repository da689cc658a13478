import { expect, it } from 'vitest';
import { isAlike, likenessOf } from '../../../../src/adapters/internal/framework/message-likeness.ts';

const of = (...messages: readonly unknown[]) => messages.map(likenessOf);

it.each([
  ['a string', 'go'],
  ['a pair', ['human', 'go']],
  ['an object', { role: 'user', content: 'go' }],
  ['parts', { role: 'user', content: [{ type: 'text', text: 'g' }, null, { type: 'text', text: 'o' }] }],
  ['an instance', { getType: () => 'human', content: 'go' }],
  ['an item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] }],
])('%s is a message of the person', (_title, message) => {
  expect(likenessOf(message)).toEqual({ kind: 'user', ids: [], words: 'go' });
});

it.each([
  ['a part', { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a' }] }, 'tool'],
  ['an item', { type: 'function_call_result', callId: 'a' }, 'function_call_result'],
  ['a call', { role: 'assistant', content: '', tool_calls: [{ id: 'a' }, null, { id: '' }] }, 'assistant'],
  ['an instance', { getType: () => 'tool', tool_call_id: 'a', content: 'ok' }, 'tool'],
])('%s has the id of its call', (_title, message, kind) => {
  expect(likenessOf(message)).toMatchObject({ kind, ids: ['a'] });
});

it.each([[null], [undefined], [5]])('%s is a message that says nothing', (message) => {
  expect(likenessOf(message)).toMatchObject({ ids: [], words: '' });
});

it('messages are alike by one id that they share, and without ids by their words', () => {
  const result = (...ids: string[]) => likenessOf({ role: 'tool', content: ids.map((id) => ({ toolCallId: id })) });
  const [go, stop] = of('go', 'stop');
  expect([isAlike(result('a'), result('a', 'b')), isAlike(result('a'), result('b'))]).toEqual([true, false]);
  expect([isAlike(go as never, go as never), isAlike(go as never, stop as never)]).toEqual([true, false]);
  expect(isAlike(go as never, likenessOf({ role: 'assistant', content: 'go' }))).toBe(false);
});
