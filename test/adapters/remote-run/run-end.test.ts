import { expect, it } from 'vitest';

import { endOfError } from '../../../src/adapters/remote-run/run-end.ts';
import { CancelledError, DeadlineExceededError } from '../../../src/core/foundation/errors.ts';

it.each([
  [new CancelledError('user'), 'cancelled'],
  [new CancelledError('user', { abandoned: { name: 'run r1' } }), 'abandoned'],
  [new DeadlineExceededError(5), 'cancelled'],
  [new Error('ECONNRESET'), 'failed'],
])('reads the end of a run from %s', (error, status) => {
  expect(endOfError('r1', error)).toEqual({ status, id: 'r1', error });
});
