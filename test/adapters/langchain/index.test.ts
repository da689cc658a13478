import { expect, it } from 'vitest';

import * as door from '../../../src/adapters/langchain/index.ts';

it('hands out what puts models, runnables and nodes under a turn', () => {
  expect(Object.keys(door).toSorted()).toEqual([
    'InterjectedError',
    'guardNode',
    'guardRunnable',
    'settleThread',
    'turnModel',
  ]);
});
