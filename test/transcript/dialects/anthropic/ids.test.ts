import { expect, it } from 'vitest';

import { withIds } from '../../../../src/transcript/dialects/anthropic/ids.ts';

it('hands back the same list where nothing has to change', () => {
  const messages = [{ role: 'user' as const, content: 'x' }];
  expect(withIds(messages, 'normalise', () => undefined)).toBe(messages);
});
