import { expect, it } from 'vitest';

import { optionNames, readerNames } from '../../../src/adapters/async-iterator/shared-names.ts';

it('the names of options are in the tables once, and every entry says so', () => {
  expect([optionNames, readerNames].flatMap((table) => Object.values(table)).every((entry) => entry === 1)).toBe(true);
});
