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
