import { expect, it } from 'vitest';

import { optionNames, promptNames } from '../../../src/adapters/acp/client-names.ts';

it('the names of options have those that every caller may give', () => {
  expect(optionNames).toMatchObject({ graceMs: 1 });
  expect(promptNames).toMatchObject({ timeoutMs: 1 });
});
