import { expect, it } from 'vitest';

import * as door from '../../../src/adapters/child-process/index.ts';

it('the door opens on two functions', () => {
  expect(Object.keys(door).sort()).toEqual(['cancellableExec', 'cancellableSpawn']);
});
