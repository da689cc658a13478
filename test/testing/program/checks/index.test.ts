import { expect, it } from 'vitest';

import { checks } from '../../../../src/testing/program/checks/index.ts';

it('every check has a name of its own, asks a question, and says why', () => {
  expect(new Set(checks.map(({ name }) => name)).size).toBe(checks.length);
  for (const { asks, why } of checks) expect([asks.endsWith('?'), why.length > 20]).toEqual([true, true]);
});
