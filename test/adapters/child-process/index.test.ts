import { expect, it } from 'vitest';

import * as door from '../../../src/adapters/child-process/index.ts';

it('the door opens on its functions', () => {
  expect(Object.keys(door).sort()).toEqual([
    'adopt',
    'cancellableExec',
    'cancellableSpawn',
    'markedEnvironment',
    'runSubprocessTool',
  ]);
});
