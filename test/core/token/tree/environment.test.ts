import { afterEach, describe, expect, it, vi } from 'vitest';

import { systemClock } from '../../../../src/core/foundation/clock.ts';
import { type CancellationToken, CancellationTokenSource } from '../../../../src/index.ts';
import { tokenOf } from '../../../../src/core/token/bridge/linked-tokens.ts';
import {
  callSafely,
  clockOf,
  reportCallbackError,
  setEnvironment,
} from '../../../../src/core/token/tree/environment.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

function clockAt(token: CancellationToken): unknown {
  return clockOf(tokenOf(token));
}

describe('the clock', () => {
  it('the clock is the nearest one above, the system’s at the root', () => {
    const [outer, inner] = [new VirtualClock({ startAt: 5 }), new VirtualClock({ startAt: 7 })];
    const root = new CancellationTokenSource({ clock: outer });
    const child = root.token.child({ onCallbackError: () => {} });
    const own = child.token.child({ clock: inner });
    expect(clockAt(new CancellationTokenSource().token)).toBe(systemClock);
    expect([root, child, own, own.token.child()].map((one) => clockAt(one.token))).toEqual([
      outer,
      outer,
      inner,
      inner,
    ]);
    own.cancel();
    expect(own.reason?.at).toBe(7);
    expect(root.token.child().cancel()).toBe(true);
  });

  it('the clock stays after a release, and comes with a parent given as an option', () => {
    const clock = new VirtualClock({ startAt: 5 });
    const root = new CancellationTokenSource({ clock });
    const plain = new CancellationTokenSource().token;
    for (const parent of [root.token, root.signal, [root.token], [root.token, plain], [plain, root.token]]) {
      expect(clockAt(new CancellationTokenSource({ parent }).token)).toBe(clock);
    }
    const child = root.token.child();
    child.release();
    expect(clockAt(child.token.child().token)).toBe(clock);
  });

  it('the clock can be set on a node beside a handler', () => {
    const node = tokenOf(new CancellationTokenSource().token);
    const [clock, handler] = [new VirtualClock(), vi.fn()];
    setEnvironment(node, clock, undefined);
    setEnvironment(node, undefined, handler);
    expect(clockOf(node)).toBe(clock);
    reportCallbackError(node, 'x');
    expect(handler).toHaveBeenCalledExactlyOnceWith('x');
  });
});

describe('the error of a callback', () => {
  const host = globalThis as { reportError?: unknown };
  const real = host.reportError;
  afterEach(() => {
    host.reportError = real;
    if (real === undefined) delete host.reportError;
    vi.restoreAllMocks();
  });

  function failing(source: CancellationTokenSource): CancellationTokenSource {
    source.token.onCancelled(() => {
      throw new Error('from a callback');
    });
    return source;
  }

  it('the error of a callback goes to the nearest handler above', () => {
    const [outer, inner] = [vi.fn(), vi.fn()];
    const root = new CancellationTokenSource({ onCallbackError: outer });
    const child = failing(root.token.child({ clock: new VirtualClock() }));
    const own = failing(child.token.child({ onCallbackError: inner }));
    failing(own.token.child());
    expect(root.cancel()).toBe(true);
    expect([outer.mock.calls.length, inner.mock.calls.length]).toEqual([1, 2]);
    expect(outer).toHaveBeenCalledWith(new Error('from a callback'));
  });

  it('the error of a callback goes to reportError where the host has one', () => {
    const report = vi.fn();
    host.reportError = report;
    const log = vi.spyOn(console, 'error').mockReturnValue();
    failing(new CancellationTokenSource({ name: 'x' })).cancel();
    expect(report).toHaveBeenCalledExactlyOnceWith(new Error('from a callback'));
    expect(log).not.toHaveBeenCalled();
  });

  it('the error of a callback goes to the console otherwise, with the name of the scope', () => {
    delete host.reportError;
    const log = vi.spyOn(console, 'error').mockReturnValue();
    failing(new CancellationTokenSource({ name: 'main turn' })).cancel();
    expect(log).toHaveBeenCalledTimes(1);
    expect(log.mock.calls[0]).toEqual([expect.stringContaining('main turn'), new Error('from a callback')]);
    failing(new CancellationTokenSource()).cancel();
    expect(log).toHaveBeenCalledTimes(2);
  });

  it('the error of a callback goes nowhere where there is not even a console', () => {
    delete host.reportError;
    vi.stubGlobal('console', undefined);
    try {
      expect(failing(new CancellationTokenSource()).cancel()).toBe(true);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('the error of a callback stops nobody when the handler fails as well, at once or later', async () => {
    const heard = vi.fn();
    for (const onCallbackError of [
      () => {
        throw new Error('handler');
      },
      // A promise where nothing is wanted: what a user may well pass.
      (): unknown => Promise.reject(new Error('async handler')),
    ]) {
      const source = failing(new CancellationTokenSource({ onCallbackError }));
      source.token.onCancelled(heard);
      expect(source.cancel()).toBe(true);
    }
    expect(heard).toHaveBeenCalledTimes(2);
    // An unhandled rejection would fail this file.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('the error of a callback is caught wherever somebody else’s function is called: at once, later, or not there at all', async () => {
    const errors: unknown[] = [];
    const { token } = new CancellationTokenSource({ onCallbackError: (error) => void errors.push(error) });
    const seen = vi.fn();
    callSafely(tokenOf(token), seen, 1, 'two');
    callSafely(tokenOf(token), undefined);
    callSafely(tokenOf(token), () => {
      throw new Error('at once');
    });
    callSafely(tokenOf(token), () => Promise.reject(new Error('later')));
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen.mock.calls).toEqual([[1, 'two']]);
    expect(errors).toEqual([new Error('at once'), new Error('later')]);
  });
});
