import { expect, it } from 'vitest';

import { optionNames, promptNames } from '../../../src/adapters/acp/client-names.ts';

it('the names of options are in the tables once, and every entry says so', () => {
  expect([optionNames, promptNames].flatMap((table) => Object.values(table)).every((entry) => entry === 1)).toBe(true);
});
