import { expect, it } from 'vitest';

import * as door from '../../../src/adapters/pi/index.ts';

it('hands out what puts an agent under a turn', () => {
  expect(Object.keys(door)).toEqual(['underTurn']);
});
