import { expect, it } from 'vitest';

import * as door from '../../../src/adapters/openai-agents/index.ts';

it('hands out what puts a run under a turn', () => {
  expect(Object.keys(door).toSorted()).toEqual(['readRun', 'settleSession', 'turnModel', 'turnProvider', 'underTurn']);
});
