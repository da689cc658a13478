import { describe, expect, it } from 'vitest';

import { itemsOf, replayable } from '../../../src/transcript/items/cut-reply.ts';
import { sayText, type OpenAIResponsesItem } from '../../../src/transcript/items/item.ts';

type Item = OpenAIResponsesItem & Readonly<Record<string, unknown>>;

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
    const whole = [sealed, { ...half, id: 'msg_1' }, search, call('a', { id: 'fc_1' })];
    expect(replayable(whole)).toEqual([sealed, half, search, call('a')]);
  });

  it.each<[string, Item[]]>([
    ['a text without a visible character', [sayText(' \n') as Item]],
    ['a call that was cut inside its arguments', [cutCall('a')]],
    ['a call without an id', [call('')]],
    ['reasoning that leads to nothing', [sealed]],
    ['reasoning that leads to what goes', [sealed, cutCall('a')]],
  ])('leaves out %s', (_what, items) => {
    expect(replayable(items)).toEqual([]);
  });

  it('leaves out reasoning without its seal', () => {
    const bare = { type: 'reasoning', id: 'rs_2', summary: [] };
    expect(replayable([bare, search, call('a')])).toEqual([search, call('a')]);
  });
});
