import { describe, expect, it } from 'vitest';

import { CancellationTokenSource, delay } from '../../src/index.ts';
import { saysStopped, StopErrors } from '../../src/testing/swallowed.ts';

describe('StopErrors', () => {
  it('StopErrors sees the stop’s own error alone, and leaves the token as strict as it was', async () => {
    const stop = new CancellationTokenSource();
    const other = new CancellationTokenSource();
    const errors = new StopErrors(stop.token);
    stop.token.throwIfCancelled();
    other.cancel('user');
    errors.add(delay(other.token, 1));
    stop.cancel('user');
    expect(await errors.wereThrown()).toBe(false);
    expect(() => {
      stop.token.throwIfCancelled();
    }).toThrow(expect.objectContaining({ reason: stop.reason }));
    expect(await errors.wereThrown()).toBe(true);
  });

  it('StopErrors sees a promise that was rejected with it', async () => {
    const stop = new CancellationTokenSource();
    const errors = new StopErrors(stop.token);
    const waiting = delay(stop.token.child().token, 1_000);
    errors.add(waiting);
    errors.add({ then: 'no promise' });
    stop.cancel('user');
    expect(await errors.wereThrown()).toBe(true);
  });
});

describe('saysStopped', () => {
  it.each([
    [{ status: 'cancelled' }, true],
    [{ status: 'abandoned' }, true],
    [{ report: { status: 'cancelled' } }, true],
    [{ status: 'completed', deep: { report: { status: 'cancelled' } } }, false],
    [null, false],
    [undefined, false],
    ['cancelled', false],
  ])('saysStopped of %j is %s', (value, expected) => {
    expect(saysStopped(value)).toBe(expected);
  });
});
