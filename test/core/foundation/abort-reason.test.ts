import { describe, expect, it } from 'vitest';

import { CancellationTokenSource, CancelledError, DeadlineExceededError } from '../../../src/index.ts';
import { createReason, isCancelReason } from '../../../src/core/foundation/reason.ts';
import { readAbort } from '../../../src/core/foundation/abort-reason.ts';

const timeout = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
const error = new TypeError('the socket closed');
const errorWithKind = Object.assign(new Error('no such user'), { kind: 'user' });

const reasonOfAbort = (value: unknown) => readAbort(value).reason;

describe('the reason of an abort', () => {
  it.each<[string, unknown, object]>([
    ['nothing', undefined, { kind: 'unknown', message: 'Cancelled' }],
    ['null', null, { kind: 'unknown', message: 'Cancelled' }],
    ['a string', 'stop pressed', { kind: 'unknown', message: 'stop pressed', cause: 'stop pressed' }],
    ['a kind’s name, as a source reads it', 'user', { kind: 'user', message: 'User cancelled', cause: 'user' }],
    ['an empty string', '', { kind: 'unknown', message: 'Cancelled', cause: '' }],
    ['a number', 5, { kind: 'unknown', message: 'Cancelled', cause: 5 }],
    ['an error', error, { kind: 'unknown', message: 'the socket closed', cause: error }],
    ['an object', { message: 'x', code: 7 }, { kind: 'unknown', message: 'x', cause: { message: 'x', code: 7 } }],
    ['an object without a message', { code: 7 }, { kind: 'unknown', message: 'Cancelled' }],
    ['a message that is no text', { message: 7 }, { kind: 'unknown', message: 'Cancelled' }],
    ['an object with a kind', { kind: 'user' }, { kind: 'user', message: 'User cancelled' }],
    [
      'a look-alike of a reason',
      { kind: 'user', message: 'x', by: 'ada', at: 1 },
      { kind: 'user', message: 'x', by: 'ada', at: 1 },
    ],
    ['a kind of an application', { kind: 'app:paused' }, { kind: 'app:paused' }],
    ['an object whose kind is none', { kind: 'esc', message: 'x' }, { kind: 'unknown', message: 'x' }],
    [
      'an object with a kind, wrong elsewhere',
      { kind: 'user', message: 7 },
      { kind: 'user', message: 'User cancelled' },
    ],
    ['an error with a kind of its own', errorWithKind, { kind: 'unknown', message: 'no such user' }],
    ['a timeout', timeout, { kind: 'deadline', message: timeout.message, cause: timeout }],
  ])('the reason of an abort of %s', (_title, value, expected) => {
    const reason = reasonOfAbort(value);
    expect(isCancelReason(reason)).toBe(true);
    expect(reason).toMatchObject(expected);
    expect(reason.cause).toBe(value ?? undefined);
  });

  it('the reason of an abort is our own where the value is or carries one, the same object', () => {
    const reason = createReason('lease-lost');
    expect(reasonOfAbort(reason)).toBe(reason);
    expect(reasonOfAbort(new CancelledError(reason))).toBe(reason);
    const error = new CancelledError(reason);
    expect(readAbort(error)).toEqual({ reason, error });
    const limit = new DeadlineExceededError(5);
    expect(reasonOfAbort(limit)).toBe(limit.reason);
  });

  it('the reason of an abort says nothing where the value cannot be read, and throws nothing either', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(readAbort(proxy).reason).toMatchObject({ kind: 'unknown', message: 'Cancelled' });
    const controller = new AbortController();
    const { token } = new CancellationTokenSource({ parent: controller.signal });
    controller.abort(proxy);
    expect([token.isCancelled, token.reason?.kind]).toEqual([true, 'unknown']);
  });
});
