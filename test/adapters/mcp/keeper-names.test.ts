import { expect, it } from 'vitest';

import { optionNames } from '../../../src/adapters/mcp/keeper-names.ts';

it('the names of options have those that every caller may give', () => {
  expect(optionNames).toMatchObject({ graceMs: 1 });
});
