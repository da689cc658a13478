import { expect, it } from 'vitest';

import { OwnIds } from '../../../src/transcript/reading/own-ids.ts';

it('a call whose id is there gets one of its own', () => {
  const ids = new OwnIds();
  expect([ids.keep('a'), ids.give('a'), ids.give('b'), ids.give('a')]).toEqual(['a', 'a_copy2', 'b', 'a_copy3']);
});
