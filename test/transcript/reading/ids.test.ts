import { expect, it } from 'vitest';

import { anyId, legalId, legalName, placeId } from '../../../src/transcript/reading/ids.ts';

it('leaves an id that is legal alone, and derives one that stays legal from any other', () => {
  expect(legalId('toolu_1', anyId)).toBe('toolu_1');
  for (const id of ['functions.read:0', 'c'.repeat(64), 'é', ' ']) {
    const made = legalId(id, anyId);
    expect(made).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
    expect(legalId(made, anyId)).toBe(made);
  }
  expect(legalId('a:b', anyId)).not.toBe(legalId('a.b', anyId));
});

it('makes names that every provider takes', () => {
  expect(legalName('fs.read')).toBe('fs_read');
  expect(legalName('x'.repeat(80))).toHaveLength(64);
});

it('numbers calls from 1', () => {
  expect(placeId(0)).toBe('call_1');
});
