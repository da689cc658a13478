import { expect, it } from 'vitest';

import { findHeldPart } from '../../../../src/transcript/items/held/held-count.ts';
import type { OpenAIResponsesItem } from '../../../../src/transcript/items/item.ts';

type Item = OpenAIResponsesItem & Readonly<Record<string, unknown>>;
const say = (id: string): Item => ({ type: 'message', role: 'assistant', id, content: 'x' });
const call: Item = { type: 'function_call', call_id: 'a', name: 'x', arguments: '{}' };
const user: Item = { role: 'user', content: 'x' };
const items = [user, say('m1'), user, call, user];

it.each([
  ['by the last item’s id', { id: 'r', output: [say('m1')] }, 2],
  ['by the call’s id', { id: 'r', output: [{ ...call, id: 'fc' }] }, 4],
  ['all, where the output is not there', { id: 'r', output: [say('m9')] }, 5],
  ['all, where nothing is said', { id: 'r' }, 5],
  ['all, where nothing came', { id: 'r', output: [] }, 5],
])('counts what is held %s', (_how, response, count) => {
  expect(findHeldPart(items, { responses: [response] })).toEqual({ count, target: { previous_response_id: 'r' } });
});

it('knows an item itself before one of its id, and that before a copy of its call', () => {
  const held = { ...call, id: 'fc' };
  const count = (last: object, ...all: Item[]) => findHeldPart(all, { responses: [{ id: 'r', output: [last] }] }).count;
  expect(count(held, held, { ...held }, call)).toBe(1);
  expect(count(held, { ...held }, call)).toBe(1);
  expect(count(call, { ...call }, user, { ...call })).toBe(3);
});

it('goes on from nothing where nothing is held', () => {
  expect(findHeldPart(items, { responses: [] })).toEqual({ count: 0, target: {} });
  expect(findHeldPart(items, { responses: [{ id: 'r', status: 'failed' }] })).toEqual({ count: 0, target: {} });
  expect(findHeldPart([], { responses: [], conversation: 'c' })).toEqual({ count: 0, target: { conversation: 'c' } });
  // Its first response was cut: the prompt is in no conversation yet.
  const prompt = { role: 'user', content: 'Hi.' } as const;
  const said = { role: 'assistant', content: 'Hello.' } as const;
  expect(findHeldPart([prompt], { responses: [], conversation: 'c' }).count).toBe(0);
  expect(findHeldPart([prompt, said, prompt], { responses: [], conversation: 'c' }).count).toBe(2);
  expect(findHeldPart([prompt, said], { responses: [], conversation: 'c' }).count).toBe(2);
});
