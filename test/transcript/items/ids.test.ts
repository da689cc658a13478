import { expect, it } from 'vitest';

import { withIds } from '../../../src/transcript/items/ids.ts';

it('hands back the same messages where nothing has to change', () => {
  const messages = [{ role: 'user' }];
  const kept = withIds(messages, 'normalise');
  expect(kept).toHaveLength(messages.length);
  expect(kept.every((message, i) => message === messages[i])).toBe(true);
});

it('writes arguments that a server gave as an object as JSON', () => {
  const call = { type: 'function_call', call_id: 'a', name: 'read', arguments: { path: 'a' } };
  const [made] = withIds([call], 'normalise');
  expect(made).toEqual({ ...call, arguments: '{"path":"a"}' });
});

it('leaves out what the client of the API has parsed', () => {
  const part = { type: 'output_text', text: '{}', annotations: [] };
  const said = { type: 'message', role: 'assistant', content: [part] };
  const call = { type: 'function_call', call_id: 'a', name: 'read', arguments: '{}' };
  const parsed = [
    { ...said, content: [{ ...part, parsed: null }] },
    { ...call, parsed_arguments: {} },
  ];
  expect(withIds(parsed, 'normalise')).toEqual([said, call]);
  expect(withIds([said, call], 'normalise')[0]).toBe(said);
});
