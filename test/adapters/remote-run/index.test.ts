import { expect, it } from 'vitest';

import * as door from '../../../src/adapters/remote-run/index.ts';

it('the door has its four functions', () => {
  expect(Object.keys(door).sort()).toEqual(['awaitRun', 'cancelRun', 'followRun', 'turnExecutor']);
});
