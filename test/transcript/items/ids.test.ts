import { expect, it } from 'vitest';

import { withIds } from '../../../src/transcript/items/ids.ts';

it('hands back the same list where nothing has to change', () => {
  const messages = [{ role: 'user' }];
  expect(withIds(messages, 'normalise', () => undefined)).toBe(messages);
});
