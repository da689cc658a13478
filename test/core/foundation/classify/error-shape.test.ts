import { describe, expect, it } from 'vitest';

import { createReason } from '../../../../src/core/foundation/reason.ts';
import { isStopBy, readShape } from '../../../../src/core/foundation/classify/error-shape.ts';

const revoked = Proxy.revocable({}, {});
revoked.revoke();

describe('the shape of an error', () => {
  it.each([
    ['abort', new DOMException('x', 'AbortError')],
    ['timeout', new DOMException('x', 'TimeoutError')],
    ['ambiguous', Object.assign(new Error('x'), { code: 'ECONNRESET' })],
    ['failure', new Error('disk full')],
    ['failure', new AggregateError([new DOMException('x', 'AbortError'), new Error('disk full')])],
  ])('the shape is %s of %o', (shape, error) => {
    expect(readShape(error, undefined)).toBe(shape);
  });

  it('the shape of what cannot be read is that of a failure', () => {
    expect(readShape(revoked.proxy, undefined)).toBe('failure');
  });

  it('the shape of what is no object is an abort only where somebody aborted with it', () => {
    expect(readShape('stop', createReason({ cause: 'stop' }))).toBe('abort');
    expect(readShape(null, createReason('user'))).toBe('abort');
    expect(readShape('stop', createReason('user'))).toBe('failure');
    expect(readShape('stop', undefined)).toBe('failure');
  });
});

it('an error is the stop of its token unless it is a failure, or a limit where there was none', () => {
  const [user, limit] = [createReason('user'), createReason('deadline')];
  expect(isStopBy(new DOMException('x', 'AbortError'), user)).toBe(true);
  expect(isStopBy(Object.assign(new Error('x'), { code: 'ECONNRESET' }), user)).toBe(true);
  expect(isStopBy(new DOMException('x', 'TimeoutError'), user)).toBe(false);
  expect(isStopBy(new DOMException('x', 'TimeoutError'), limit)).toBe(true);
  expect(isStopBy(new Error('disk full'), limit)).toBe(false);
});
