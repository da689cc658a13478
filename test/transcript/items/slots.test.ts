import { expect, it } from 'vitest';

import type { OpenAIResponsesItem } from '../../../src/transcript/items/item.ts';
import { repliesIn } from '../../../src/transcript/items/replies.ts';
import { readSlots } from '../../../src/transcript/items/slots.ts';

const call = { type: 'function_call', call_id: 'a', name: 'x', arguments: '{}' };
const output = { type: 'function_call_output', call_id: 'a', output: 'ok' };
const items: (OpenAIResponsesItem & object)[] = [output, call, call, { role: 'user', content: 'x' } as never, output];

it('links calls and outputs, and takes out what cannot stay', () => {
  const slots = readSlots(repliesIn(items), 0);
  expect(slots.map(({ item }) => item !== undefined)).toEqual([false, true, false, true, true]);
  expect(slots[4]?.answers).toBe(slots[1]?.site);
  expect(slots[1]?.site?.results.map(({ at }) => at)).toEqual([4]);
});

it('takes nothing out of what the server holds', () => {
  const slots = readSlots(repliesIn(items), 3);
  expect(slots.map(({ item }) => item !== undefined)).toEqual([true, true, true, true, true]);
  expect(slots.map(({ isHeld }) => isHeld)).toEqual([true, true, true, false, false]);
});
