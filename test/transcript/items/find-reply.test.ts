import { describe, expect, it } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import { replayable } from '../../../src/transcript/items/cut-reply.ts';
import { anyIdBeside, createPlaces, findReply, isOtherMoment } from '../../../src/transcript/items/find-reply.ts';
import { sayText, type OpenAIResponsesItem } from '../../../src/transcript/items/item.ts';

type Item = OpenAIResponsesItem & Readonly<Record<string, unknown>>;

const reason = createReason({ kind: 'user', at: 1 });
const hello: Item = { role: 'user', content: 'Hello' };
const half = sayText('Half a') as Item;
const call = (id: string, more: object = {}): Item => ({
  type: 'function_call',
  call_id: id,
  name: 'read',
  arguments: '{}',
  ...more,
});
const cutCall = (id: string): Item => call(id, { arguments: '{"pa' });
const sealed: Item = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'seal' };
const search: Item = { type: 'web_search_call', id: 'ws_1', status: 'completed' };

describe('findReply', () => {
  const find = (items: Item[], reply: Item[], { floor = 0, taken = [] as { start: number; end: number }[] } = {}) => {
    const places = items.map((_, at) => at).filter((at) => at >= floor);
    const cut = { modelCall: 1, value: reply, reason, reply, kept: replayable(reply) };
    return findReply(items, cut, places.reverse(), { floor, before: items.length, taken, idsOf: anyIdBeside([]) });
  };

  it('finds the last one, with the reasoning before it', () => {
    expect(find([half, hello, sealed, half], [half])).toEqual({ start: 2, end: 4 });
  });

  it('finds one with a mark below its text, and not one that says more', () => {
    expect(find([sayText('Half a\n\n[cut]') as Item], [half])).toEqual({ start: 0, end: 1 });
    expect(find([sayText('Half a word') as Item], [half])).toBeUndefined();
  });

  it('passes over its own reasoning, what the provider ran for it and its calls that were cut', () => {
    const reply = [half, sealed, search, cutCall('x'), call('a')];
    expect(find([half, sealed, search, cutCall('x'), call('a'), hello], reply)).toEqual({ start: 0, end: 5 });
    expect(find([half, { ...sealed, encrypted_content: 'other' }, call('a')], reply)).toBeUndefined();
  });

  it('passes over the answer to a call of another reply, though an id is shared, and no answer to its own', () => {
    const patch: Item = { type: 'apply_patch_call', call_id: 'b', operation: {} };
    const answer = (type: string): Item => ({ type, call_id: 'b', output: '' });
    const reply = [call('a'), patch];
    expect(find([call('a'), answer('function_call_output'), patch], reply)).toEqual({ start: 0, end: 3 });
    expect(find([call('a'), answer('apply_patch_call_output'), patch], reply)).toBeUndefined();
  });

  it('looks neither above the floor nor at what is taken', () => {
    const items = [half, hello, half];
    expect(find(items, [half], { floor: 3 })).toBeUndefined();
    expect(find(items, [half], { taken: [{ start: 2, end: 3 }] })).toEqual({ start: 0, end: 1 });
    expect(find(items, [half], { floor: 1, taken: [{ start: 2, end: 3 }] })).toBeUndefined();
  });

  it('knows what only the provider ran by its id', () => {
    expect(find([{ ...search, status: 'failed' }], [search])).toEqual({ start: 0, end: 1 });
    expect(find([{ ...search, id: 'ws_2' }], [search])).toBeUndefined();
  });
});

describe('createPlaces', () => {
  const items = [hello, half, call('a'), sealed, half, hello, half];
  const of = (kept: Item[], floor = 0, before = items.length) =>
    createPlaces(items, anyIdBeside([])).of(
      { modelCall: 1, value: kept, reason, reply: kept, kept },
      { floor, before },
    );

  it('says where a reply may begin, from the last place on', () => {
    expect(of([half])).toEqual([6, 4, 1]);
    expect(of([half], 2, 6)).toEqual([4]);
    expect(of([call('a')])).toEqual([2]);
    expect(of([call('b')])).toEqual([]);
  });

  it('counts what the model said in one go as one', () => {
    const count = (floor: number, before: number) => createPlaces(items, anyIdBeside([])).count({ floor, before });
    expect([count(0, 7), count(0, 3), count(4, 7), count(5, 6)]).toEqual([3, 1, 1, 0]);
  });
});

describe('isOtherMoment', () => {
  const compare = (item: Item, ...kept: Item[]) =>
    isOtherMoment(item, { modelCall: 1, value: kept, reason, reply: kept, kept });
  const said = (text: string) => sayText(text) as Item;

  it('says which of the two came first', () => {
    expect(compare(said('Half'), half)).toBe('earlier');
    expect(compare(said('Half'), half, call('a'))).toBe('earlier');
    expect(compare(said('Half a word'), half)).toBe('later');
    expect(compare(said('Half a word'), half, call('a'))).toBeUndefined();
    expect(compare(said('Other'), half)).toBeUndefined();
    expect(compare(said(''), half)).toBeUndefined();
    expect(compare(call('a'), call('a'))).toBeUndefined();
  });
});
