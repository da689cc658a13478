import { expect, it } from 'vitest';

import { withUniqueCalls } from '../../../src/transcript/items/unique-calls.ts';
import type { OpenAIResponsesItem } from '../../../src/transcript/items/item.ts';

type Item = OpenAIResponsesItem & Readonly<Record<string, unknown>>;
const call = (call_id: string): Item => ({ type: 'function_call', call_id, name: 'read', arguments: '{}' });
const output = (call_id: string): Item => ({ type: 'function_call_output', call_id, output: 'ok' });

it('a call whose id comes again gets one of its own, around ids that exist, and so does its output', () => {
  const items = [call('a'), output('a'), call('a_copy2'), output('a_copy2'), call('a'), output('a'), call('a')];
  const settled = withUniqueCalls(items, 'normalise');
  const ids = settled.map((item) => (item as Item)['call_id']);
  expect(ids).toEqual(['a', 'a', 'a_copy2', 'a_copy2', 'a_copy3', 'a_copy3', 'a_copy4']);
  expect(settled.slice(0, 4).every((item, i) => item === items[i])).toBe(true);
});
