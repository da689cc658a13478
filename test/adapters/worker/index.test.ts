import { expect, it } from 'vitest';

import * as door from '../../../src/adapters/worker/index.ts';

it('the door opens on its functions', () => {
  expect(Object.keys(door).sort()).toEqual(['receiveToken', 'runBlocking', 'shareToken', 'superviseWorker']);
});
