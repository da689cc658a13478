import { expect, it } from 'vitest';

import { rowId, withIds } from '../../../src/transcript/chat/ids.ts';

it('hands back the same list where nothing has to change', () => {
  const messages = [{ role: 'user' as const, content: 'x' }];
  expect(withIds(messages, 'normalise', () => undefined)).toBe(messages);
});

it('shortens the id of a row as that of its call', () => {
  expect(rowId('c'.repeat(64), 'normalise')).toHaveLength(40);
  expect(rowId('c'.repeat(64), 'keep')).toHaveLength(64);
});
