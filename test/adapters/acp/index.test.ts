import { expect, it } from 'vitest';

import * as door from '../../../src/adapters/acp/index.ts';

it('the door opens on two functions', () => {
  expect(Object.keys(door).sort()).toEqual(['acpClient', 'acpSessions']);
});
