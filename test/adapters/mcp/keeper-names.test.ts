import { expect, it } from 'vitest';

import { optionNames } from '../../../src/adapters/mcp/keeper-names.ts';

it('the names of options are in the tables once, and every entry says so', () => {
  expect([optionNames].flatMap((table) => Object.values(table)).every((entry) => entry === 1)).toBe(true);
});
