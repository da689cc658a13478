import { describe, expect, it } from 'vitest';

import { sayText, type OpenAIResponsesItem } from '../../../src/transcript/items/item.ts';
import { repliesIn, responsesTurns } from '../../../src/transcript/items/replies.ts';

type Item = OpenAIResponsesItem & Readonly<Record<string, unknown>>;

const hello: Item = { role: 'user', content: 'Hello' };
const call = (id: string): Item => ({ type: 'function_call', call_id: id, name: 'read', arguments: '{}' });
const cut = { by: { kind: 'user' as const }, isWhole: false };
const grouped = (items: Item[], how?: typeof cut) =>
  repliesIn(items, how).map(({ items: own, at, cut: isCut }) => [at, own.length, isCut !== undefined]);

describe('repliesIn', () => {
  const reasoning: Item = { type: 'reasoning', id: 'rs_1', summary: [] };

  it('puts together what the model made in one go', () => {
    const items = [hello, reasoning, sayText('a') as Item, call('a'), call('b'), reasoning, call('c'), hello];
    expect(grouped(items)).toEqual([
      [0, 1, false],
      [1, 4, false],
      [5, 2, false],
      [7, 1, false],
    ]);
  });

  it('takes all that stands behind the last prompt for the reply that was cut', () => {
    const items = [sayText('before') as Item, hello, call('a'), reasoning, sayText('b') as Item];
    expect(grouped(items, cut)).toEqual([
      [0, 1, false],
      [1, 1, false],
      [2, 3, true],
    ]);
    expect(grouped([hello], cut)).toEqual([[0, 1, false]]);
  });
});

it('knows a turn', () => {
  expect([hello, { role: 'developer', content: 'x' } as Item].map(responsesTurns.isPrompt)).toEqual([true, false]);
  expect(responsesTurns.isReply(responsesTurns.say('x', hello) ?? hello)).toBe(true);
});
