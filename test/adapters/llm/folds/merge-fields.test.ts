import { expect, it } from 'vitest';

import { OtherFields } from '../../../../src/adapters/llm/folds/merge-fields.ts';

function merge(...deltas: object[]): object {
  const held = new OtherFields(new Set());
  for (const delta of deltas) held.add(delta);
  return held.now().fields();
}

it('lets texts grow, and of anything else the last word count', () => {
  expect(merge({ reasoning: 'I ', count: 1, of: { a: 1 } }, { reasoning: 'see', count: 2, of: { b: 2 } })).toEqual({
    reasoning: 'I see',
    count: 2,
    of: { b: 2 },
  });
  expect(merge({ reasoning: 'x' }, { reasoning: null }, { reasoning: undefined })).toEqual({ reasoning: 'x' });
});

it('takes a name that is said again for the same name', () => {
  expect(merge({ id: 'a', item_id: 'b', format: 'c' }, { id: 'a', item_id: 'b', format: 'c' })).toEqual({
    ...{ id: 'a', item_id: 'b', format: 'c' },
  });
});

it('puts sound and a call of the old form together by their own texts', () => {
  expect(merge({ audio: { id: 'a', data: 'AA' } }, { audio: { data: 'BB', expires_at: 1 } })).toEqual({
    audio: { id: 'a', data: 'AABB', expires_at: 1 },
  });
  expect(merge({ function_call: { name: 'n', arguments: '{' } }, { function_call: { arguments: '}' } })).toEqual({
    function_call: { name: 'n', arguments: '{}' },
  });
});

it('joins the pieces of one thought, and keeps what is several', () => {
  const thought = (index: number, more: object) => ({ type: 'reasoning.text', index, format: 'f', ...more });
  const details = [[thought(0, { text: 'I ' })], [thought(0, { text: 'see' })], [thought(0, { signature: 's' })]];
  const next = [[thought(1, { text: 'And' })], [{ type: 'reasoning.encrypted', index: 1, data: 'd' }]];
  expect(merge(...[...details, ...next].map((reasoning_details) => ({ reasoning_details })))).toEqual({
    reasoning_details: [
      thought(0, { text: 'I see', signature: 's' }),
      thought(1, { text: 'And' }),
      { type: 'reasoning.encrypted', index: 1, data: 'd' },
    ],
  });
  const plain = (thinking: string, signature: string | null) => ({ type: 'thinking', thinking, signature });
  const blocks = [plain('I ', null), plain('see', null), plain('', 's'), plain('And', null)];
  expect(merge(...blocks.map((block) => ({ thinking_blocks: [block] })))).toEqual({
    thinking_blocks: [plain('I see', 's'), plain('And', null)],
  });
  const cited = { type: 'url_citation', url_citation: { url: 'u' } };
  expect(merge({ annotations: [cited] }, { annotations: [cited, 5] })).toEqual({ annotations: [cited, cited, 5] });
});

it('changes nothing that it was given', () => {
  const first = { list: [{ type: 't', index: 0, text: 'a' }], audio: { data: 'A' } };
  const copy = structuredClone(first);
  merge(first, first);
  expect(first).toEqual(copy);
});

it('says what had been said at a moment, also once more has come', () => {
  const held = new OtherFields(new Set(['content']));
  const said = (text: string) => ({ type: 't', index: 0, text });
  held.add({ content: 'x', reasoning: 'I ', list: [said('a')], first: 1 });
  const before = held.now();
  held.add({ reasoning: 'see', list: [said('b'), { type: 'u' }], second: 2 });
  const between = held.now();
  held.add({ list: [{ type: 'v' }], first: 3 });
  expect(before.fields()).toEqual({ reasoning: 'I ', list: [said('a')], first: 1 });
  const list = [said('ab'), { type: 'u' }];
  expect(between.fields()).toEqual({ reasoning: 'I see', list, first: 1, second: 2 });
  expect(held.now().fields()).toEqual({ reasoning: 'I see', list: [...list, { type: 'v' }], first: 3, second: 2 });
});

it('reads no field and no piece again for a value of thousands, however many came before', () => {
  let reads = 0;
  const piece = (index: number) => ({
    type: 't',
    get index() {
      reads += 1;
      return index;
    },
  });
  const held = new OtherFields(new Set());
  const values = Array.from({ length: 4000 }, (_, i) => {
    held.add({ [`x${String(i)}`]: 'y', list: [piece(i)] });
    return held.now();
  });
  expect(reads).toBeLessThan(4000 * 4);
  expect(values.filter(({ isLong }) => !isLong)).toHaveLength(255);
  expect(Object.keys(values[2999]?.fields() ?? {})).toHaveLength(3001);
  expect((values[2999]?.fields() as { list: unknown[] }).list).toHaveLength(3000);
});
