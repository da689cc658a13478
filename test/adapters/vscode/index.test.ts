import { expect, it } from 'vitest';

import * as door from '../../../src/adapters/vscode/index.ts';

it('hands out both ways of the bridge, and the request over it', () => {
  expect(Object.keys(door).toSorted()).toEqual(['fromEditorToken', 'toEditorToken', 'withEditorToken']);
});
