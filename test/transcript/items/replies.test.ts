import { describe, expect, it } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import { sayText, type OpenAIResponsesItem } from '../../../src/transcript/items/item.ts';
import { layReplies, responsesTurns } from '../../../src/transcript/items/replies.ts';

type Item = OpenAIResponsesItem & Readonly<Record<string, unknown>>;

const reason = createReason({ kind: 'user', at: 1 });
const hello: Item = { role: 'user', content: 'Hello' };
const call = (id: string): Item => ({ type: 'function_call', call_id: id, name: 'read', arguments: '{}' });
const lay = (items: Item[], ...values: unknown[]) =>
  layReplies(
    items,
    items.map((message, from) => ({ message, from })),
    values.map((value, i) => ({ modelCall: i + 1, value, reason })),
    { note: () => undefined, ids: 'normalise', outcomes: [] },
  ).map(({ items: own, at, added, cutBy }) => ({
    size: own.length,
    at,
    added,
    isCut: cutBy !== undefined,
  }));

describe('layReplies', () => {
  it('puts together what the model made in one go', () => {
    const reasoning: Item = { type: 'reasoning', id: 'rs_1', summary: [] };
    const items = [hello, reasoning, sayText('a') as Item, call('a'), call('b'), reasoning, call('c'), hello];
    expect(lay(items).map(({ size, at }) => [at, size])).toEqual([
      [0, 1],
      [1, 4],
      [5, 2],
      [7, 1],
    ]);
  });

  it('borders a cut reply that stands beside another', () => {
    const items = [hello, sayText('First') as Item, sayText('Second\n\n[cut]') as Item];
    expect(lay(items, 'Second')).toEqual([
      { size: 1, at: 0, added: undefined, isCut: false },
      { size: 1, at: 1, added: undefined, isCut: false },
      { size: 1, at: 2, added: undefined, isCut: true },
    ]);
  });

  it('adds one that is missing before the next that is there', () => {
    expect(lay([hello, sayText('Second') as Item], 'First', 'Second').map(({ at, added }) => [at, added])).toEqual([
      [0, undefined],
      [1, 1],
      [1, undefined],
    ]);
  });

  it.each([null, 7, {}, { output: 7 }, [], ['x'], [{ type: 'reasoning', id: 'rs_1' }], [hello], '  '])(
    'adds nothing for %j',
    (value) => {
      expect(lay([hello], value)).toHaveLength(1);
    },
  );

  it('reads a response and the message of a fold', () => {
    expect(lay([hello], { output: [call('a')] })).toHaveLength(2);
    expect(lay([hello], { message: [call('a'), call('a')], isComplete: false })[1]?.size).toBe(1);
  });
});

it('knows a turn', () => {
  expect([hello, { role: 'developer', content: 'x' } as Item].map(responsesTurns.isPrompt)).toEqual([true, false]);
  expect(responsesTurns.isReply(responsesTurns.say('x', hello) ?? hello)).toBe(true);
});
