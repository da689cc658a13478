import { describe, expect, it } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import { anyIdBeside, findReply, itemsOf, replayable } from '../../../src/transcript/items/cut-reply.ts';
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

it.each<[unknown, readonly object[] | undefined]>([
  ['Half a', [half]],
  [[half, hello, 7], [half]],
  [{ output: [half] }, [half]],
  [{ message: [half], isComplete: false }, [half]],
  [half, [half]],
  [{ role: 'assistant', content: 'Half a' }, [{ role: 'assistant', content: 'Half a' }]],
  [{ message: half }, [half]],
  ['', []],
  [{ message: 'Half a' }, [half]],
  [{ message: 7 }, undefined],
  [null, undefined],
])('reads %j', (value, items) => {
  expect(itemsOf(value)).toEqual(items);
});

describe('replayable', () => {
  it('keeps what is whole, without the ids that only a kept response has', () => {
    const whole = [sealed, { ...half, id: 'msg_1' }, search, call('a', { id: 'fc_1', parsed_arguments: {} })];
    expect(replayable(whole)).toEqual([sealed, half, search, call('a')]);
  });

  it.each<[string, Item[]]>([
    ['a text without a visible character', [sayText(' \n') as Item]],
    ['a call that was cut inside its arguments', [cutCall('a')]],
    ['a call without an id', [call('')]],
    ['a call that wants a picture', [{ type: 'computer_call', call_id: 'a', action: {} }]],
    ['reasoning that leads to nothing', [sealed]],
    ['reasoning that leads to what goes', [sealed, cutCall('a')]],
  ])('leaves out %s', (_what, items) => {
    expect(replayable(items)).toEqual([]);
  });

  it('leaves out reasoning without its seal, and second copies', () => {
    const bare = { type: 'reasoning', id: 'rs_2', summary: [] };
    expect(replayable([bare, search, search, call('a'), call('a')])).toEqual([search, call('a')]);
  });
});

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
