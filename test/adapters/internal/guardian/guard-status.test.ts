import { expect, it } from 'vitest';

import {
  notGuarded,
  statusOf,
  type GuardUnavailable,
} from '../../../../src/adapters/internal/guardian/guard-status.ts';

it('a guard that nobody wants is off, whatever else is wrong', () => {
  const status = statusOf(false, () => notGuarded('no-process'));
  expect([status.state, status.unavailable]).toEqual(['off', undefined]);
});

it('a guard that is wanted is on, until something is wrong with it', () => {
  const helper: { problem?: GuardUnavailable } = {};
  const status = statusOf(true, () => helper.problem);
  expect([status.state, status.unavailable]).toEqual(['on', undefined]);
  helper.problem = notGuarded('no-process', 'has ended');
  expect([status.state, status.unavailable?.reason]).toEqual(['unavailable', 'no-process']);
  expect(status.unavailable?.message).toBe('nothing is guarded: the helper process has ended');
});
