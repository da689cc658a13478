import { expect, it } from 'vitest';

import * as door from '../../../src/adapters/claude-agent/index.ts';

it('hands out what opens a session', () => {
  expect(Object.keys(door)).toEqual(['openSession']);
});
