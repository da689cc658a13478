import { expect, it } from 'vitest';

import { rowId, withIds } from '../../../../src/transcript/dialects/anthropic/ids.ts';

it('hands back the same list where nothing has to change', () => {
  const messages = [{ role: 'user' as const, content: 'x' }];
  expect(withIds(messages, 'normalise', () => undefined)).toBe(messages);
});

it('changes the id of a row as that of its call', () => {
  expect(rowId('f:0', 'normalise')).toMatch(/^f_0_[0-9a-f]{8}$/);
  expect(rowId('f:0', 'keep')).toBe('f:0');
});
