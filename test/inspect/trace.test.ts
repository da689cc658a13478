import { expect, it } from 'vitest';

import { isSurvivor } from '../../src/inspect/trace.ts';
import { row } from './kit.ts';

it('a survivor was given up and has not ended since', () => {
  expect(isSurvivor(row({ id: 'a', outcome: 'abandoned' }))).toBe(true);
  expect(isSurvivor(row({ id: 'a', outcome: 'abandoned', late: { at: 1, outcome: 'completed' } }))).toBe(false);
  expect(isSurvivor(row({ id: 'a' }))).toBe(false);
});
