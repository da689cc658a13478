import { expect, it } from 'vitest';

import { isNested } from '../../../src/transcript/reading/nested-row.ts';

it('tells a call that another call made from one of the model', () => {
  const row = (call: unknown) => ({ id: 'a', name: 'read', call, ms: 1, status: 'completed', value: 1 }) as const;
  expect(isNested(row({ isSingle: true, within: 'toolu_1' }))).toBe(true);
  for (const call of [undefined, {}, { isSingle: true }, { within: 'toolu_1' }, []]) {
    expect(isNested(row(call))).toBe(false);
  }
});
