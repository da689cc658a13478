import { describe, expect, it } from 'vitest';

import { CancelledError, DeadlineExceededError, createReason, isCancelReason } from '../../../src/index.ts';
import { reasonOfAbort } from '../../../src/core/foundation/abort-reason.ts';

const timeout = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
const error = new TypeError('the socket closed');

describe('reasonOfAbort', () => {
  it.each<[string, unknown, object]>([
    ['nothing', undefined, { kind: 'unknown', message: 'Cancelled' }],
    ['null', null, { kind: 'unknown', message: 'Cancelled' }],
    ['a string', 'stop pressed', { kind: 'unknown', message: 'stop pressed', cause: 'stop pressed' }],
    ['a kind’s name, which is only a text here', 'user', { kind: 'unknown', message: 'user' }],
    ['an empty string', '', { kind: 'unknown', message: 'Cancelled', cause: '' }],
    ['a number', 5, { kind: 'unknown', message: 'Cancelled', cause: 5 }],
    ['an error', error, { kind: 'unknown', message: 'the socket closed', cause: error }],
    ['an object', { message: 'x', code: 7 }, { kind: 'unknown', message: 'x', cause: { message: 'x', code: 7 } }],
    ['an object without a message', { code: 7 }, { kind: 'unknown', message: 'Cancelled' }],
    ['a message that is no text', { message: 7 }, { kind: 'unknown', message: 'Cancelled' }],
    ['a look-alike of a reason', { kind: 'user', message: 'x', at: 1 }, { kind: 'unknown', message: 'x' }],
    ['a timeout', timeout, { kind: 'deadline', message: timeout.message, cause: timeout }],
  ])('of %s', (_title, value, expected) => {
    const reason = reasonOfAbort(value);
    expect(isCancelReason(reason)).toBe(true);
    expect(reason).toMatchObject(expected);
    expect(reason.cause).toBe(value ?? undefined);
  });

  it('is our own where the value is or carries one, the same object', () => {
    const reason = createReason('lease-lost');
    expect(reasonOfAbort(reason)).toBe(reason);
    expect(reasonOfAbort(new CancelledError(reason))).toBe(reason);
    const limit = new DeadlineExceededError(5);
    expect(reasonOfAbort(limit)).toBe(limit.reason);
  });
});
