import { expect, it } from 'vitest';

import { withIds } from '../../../../src/transcript/dialects/anthropic/ids.ts';

it('hands back the same messages where nothing has to change', () => {
  const messages = [{ role: 'user' as const, content: 'x' }];
  const kept = withIds(messages, 'normalise');
  expect(kept).toHaveLength(messages.length);
  expect(kept.every((message, i) => message === messages[i])).toBe(true);
});
