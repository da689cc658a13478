import { expect, it } from 'vitest';

import { withIds } from '../../../src/transcript/chat/ids.ts';

it('hands back the same messages where nothing has to change', () => {
  const messages = [{ role: 'user' as const, content: 'x' }];
  const kept = withIds(messages, 'normalise');
  expect(kept).toHaveLength(messages.length);
  expect(kept.every((message, i) => message === messages[i])).toBe(true);
});

it('writes arguments that a server gave as an object as JSON', () => {
  const call = { id: 'a', type: 'function', function: { name: 'read', arguments: { path: 'a' } } };
  const [made] = withIds([{ role: 'assistant', tool_calls: [call] } as never], 'normalise');
  expect(made).toMatchObject({ tool_calls: [{ function: { arguments: '{"path":"a"}' } }] });
});
