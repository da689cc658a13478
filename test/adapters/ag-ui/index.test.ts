import { expect, it } from 'vitest';

import * as door from '../../../src/adapters/ag-ui/index.ts';

it('hands out both sides of a run, and the way of its messages', () => {
  expect(Object.keys(door).sort()).toEqual(['messageMap', 'runAgent', 'serveRun']);
});
