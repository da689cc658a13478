import { expect, it } from 'vitest';

import * as door from '../../../src/adapters/ai-sdk/index.ts';

it('hands out what puts a loop under a turn, and what settles a chat', () => {
  expect(Object.keys(door).toSorted()).toEqual(['InterjectedError', 'readResult', 'underTurn']);
});
