import { expect, it } from 'vitest';

import { optionNames, readerNames } from '../../../src/adapters/async-iterator/shared-names.ts';

it('the names of options have those that every caller may give', () => {
  expect(optionNames).toMatchObject({ graceMs: 1 });
  expect(readerNames).toEqual({ name: 1, idleMs: 1, onCut: 1 });
});
