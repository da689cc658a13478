import { expect, it } from 'vitest';

import * as door from '../../../src/adapters/mcp/index.ts';

it('the door opens on five functions', () => {
  expect(Object.keys(door).sort()).toEqual([
    'cancellableRequest',
    'cancellableTask',
    'cancellableTransport',
    'fromExtra',
    'restartableClient',
  ]);
});
