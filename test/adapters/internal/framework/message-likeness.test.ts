import { expect, it } from 'vitest';
import {
  commonStart,
  endIn,
  isAlike,
  isPlain,
  likenessOf,
  says,
  withoutIds,
} from '../../../../src/adapters/internal/framework/message-likeness.ts';

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
  expect(isPlain(likenessOf(message))).toBe(true);
});

it.each([
  ['a part', { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a' }] }, 'tool'],
  ['an item', { type: 'function_call_result', callId: 'a' }, 'function_call_result'],
  ['a call', { role: 'assistant', content: '', tool_calls: [{ id: 'a' }, null, { id: '' }] }, 'assistant'],
  ['an instance', { getType: () => 'tool', tool_call_id: 'a', content: 'ok' }, 'tool'],
])('%s has the id of its call', (_title, message, kind) => {
  expect(likenessOf(message)).toMatchObject({ kind, ids: ['a'] });
  expect(isPlain(likenessOf(message))).toBe(false);
});

it.each([[null], [undefined], [5]])('%s is a message that says nothing', (message) => {
  expect(says(likenessOf(message))).toBe(false);
});

it('messages are alike by one id that they share, and without ids by their words', () => {
  const result = (...ids: string[]) => likenessOf({ role: 'tool', content: ids.map((id) => ({ toolCallId: id })) });
  const [go, stop] = of('go', 'stop');
  expect([isAlike(result('a'), result('a', 'b')), isAlike(result('a'), result('b'))]).toEqual([true, false]);
  expect([isAlike(go as never, go as never), isAlike(go as never, stop as never)]).toEqual([true, false]);
  expect(isAlike(go as never, likenessOf({ role: 'assistant', content: 'go' }))).toBe(false);
  expect(says(result('a'))).toBe(true);
});

it('a message has what it has beyond the ids that are known', () => {
  const part = (toolCallId: string) => ({ toolCallId });
  const message = { role: 'tool', content: [part('a'), { text: 'x' }, part('b')] };
  expect(withoutIds(message, new Set(['a']))).toEqual({ role: 'tool', content: [part('b')] });
  expect(withoutIds(message, new Set(['a', 'b']))).toBeUndefined();
  expect(withoutIds('go', new Set())).toBeUndefined();
});

it('lists begin alike as far as their messages are', () => {
  expect(commonStart(of('a', 'b', 'c'), of('a', 'b', 'd'))).toBe(2);
  expect(commonStart(of('a', 'b'), of('a'))).toBe(1);
  expect(commonStart(of('a'), of('a', 'b'))).toBe(1);
});

it('a list ends in another where most of it is alike', () => {
  expect(endIn(of('go', 'on', 'go'), of('go', 'on', 'go', 'on'))).toEqual({ end: 3, missing: 0, run: 3 });
  expect(endIn(of('on', 'go'), of('go', 'x', 'on', 'go'))).toEqual({ end: 4, missing: 0, run: 2 });
  expect(endIn(of('go', 'other'), of('go', 'x'))).toEqual({ end: 1, missing: 1, run: 1 });
  expect(endIn(of('go'), of('x'))).toEqual({ end: 0, missing: 1, run: 0 });
});
