import { expect, it } from 'vitest';

import * as door from '../../../src/adapters/compose/index.ts';

it('hands out the names of the library, and nothing of it', () => {
  expect(Object.keys(door).toSorted()).toEqual(['all', 'execute', 'race', 'spawn', 'waitForEvent']);
});
