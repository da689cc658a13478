import { getEventListeners } from 'node:events';

import { describe, expect, it, vi } from 'vitest';

import { withCheckpoints } from '../../../src/core/combinators/checkpoint.ts';
import {
  CancellationToken,
  CancellationTokenSource,
  CancelledError,
  checkpoint,
  yieldCheckpoint,
  type Clock,
} from '../../../src/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

/** The error a promise rejects with; listens at once. */
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => Promise.reject(new Error('did not reject')),
    (error: unknown) => error,
  );

function thrownBy(fn: () => unknown): unknown {
  try {
    fn();
  } catch (error) {
    return error;
  }
  throw new Error('did not throw');
}

/** A clock whose timers never ring, as in a loop that never yields. */
class HandClock implements Clock {
  at = 0;
  armed = 0;
  now(): number {
    return this.at;
  }
  setTimer(): { release(): void } {
    this.armed += 1;
    return { release: () => (this.armed -= 1) };
  }
}

describe('checkpoint', () => {
  it('checkpoint lets live tokens and nothing through', () => {
    checkpoint(null);
    checkpoint(undefined);
    checkpoint(CancellationToken.none);
    checkpoint(new CancellationTokenSource().token);
    checkpoint(new AbortController().signal);
  });

  it('checkpoint throws the one error of a cancelled token', () => {
    const source = new CancellationTokenSource();
    source.cancel('user');
    expect(thrownBy(() => checkpoint(source.token))).toBe(source.signal.reason);
    expect(thrownBy(() => checkpoint(source.token.child().token))).toBe(source.signal.reason);
    expect(thrownBy(() => checkpoint(AbortSignal.abort()))).toMatchObject({ name: 'AbortError' });
  });

  it('checkpoint compares the clock with the deadline: a synchronous loop times out', () => {
    const clock = new HandClock();
    const source = new CancellationTokenSource({ clock, timeoutMs: 50, name: 'parse' });
    const error = thrownBy(() => {
      for (; clock.at < 1_000; clock.at += 1) checkpoint(source.token);
    });
    expect(clock.at).toBe(50);
    expect(error).toBeInstanceOf(CancelledError);
    expect(error).toMatchObject({ reason: { kind: 'deadline', source: 'parse' } });
    expect(source.isCancelled).toBe(true);
    expect(source.signal.reason).toBe(error);
  });

  it('checkpoint sees the deadline of any scope above, and calls it that one’s', () => {
    const clock = new HandClock();
    const outer = new CancellationTokenSource({ clock, timeoutMs: 50, name: 'outer' });
    const inner = outer.token.child({ timeoutMs: 200, name: 'inner' });
    clock.at = 50;
    expect(thrownBy(() => checkpoint(inner.token.child().token))).toMatchObject({ reason: { source: 'outer' } });
    expect(outer.isCancelled).toBe(true);
    const any = CancellationToken.any(
      new CancellationTokenSource().token,
      new CancellationTokenSource({ clock, timeoutMs: 5 }).token,
    );
    clock.at = 55;
    expect(thrownBy(() => checkpoint(any))).toMatchObject({ reason: { kind: 'deadline' } });
  });

  it('checkpoint does not cancel before the deadline, nor what has no deadline', () => {
    const clock = new HandClock();
    const source = new CancellationTokenSource({ clock, timeoutMs: 50 });
    clock.at = 49.9;
    checkpoint(source.token);
    clock.at = 1_000_000;
    checkpoint(new CancellationTokenSource({ clock }).token);
    source.release();
    checkpoint(source.token);
  });

  it('a cancel that was made counts before a deadline that passed unnoticed', () => {
    const clock = new HandClock();
    const source = new CancellationTokenSource({ clock, timeoutMs: 50 });
    clock.at = 60;
    source.cancel('user');
    expect(thrownBy(() => checkpoint(source.token))).toMatchObject({ reason: { kind: 'user' } });
  });

  it.each(['session', 7, {}, { aborted: true }])('checkpoint refuses %j', (token) => {
    expect(() => checkpoint(token as never)).toThrow(TypeError);
  });
});

describe('yieldCheckpoint', () => {
  it('yieldCheckpoint rejects under a cancelled token and past a deadline', async () => {
    const source = new CancellationTokenSource();
    source.cancel('user');
    expect(await errorOf(yieldCheckpoint(source.token))).toBe(source.signal.reason);
    const clock = new HandClock();
    const limited = new CancellationTokenSource({ clock, timeoutMs: 50 });
    await yieldCheckpoint(limited.token);
    clock.at = 50;
    expect(await errorOf(yieldCheckpoint(limited.token))).toMatchObject({ reason: { kind: 'deadline' } });
    expect(clock.armed).toBe(0);
  });

  it('yieldCheckpoint lets the event loop run once every 8 ms, and not before', async () => {
    const clock = new VirtualClock();
    const { token } = new CancellationTokenSource({ clock });
    const pauses: number[] = [];
    const setTimer = vi.spyOn(clock, 'setTimer').mockImplementation((fn, ms) => {
      pauses.push(clock.now());
      expect(ms).toBe(0);
      queueMicrotask(fn);
      return { release: () => {} };
    });
    await yieldCheckpoint(token);
    for (let ms = 1; ms <= 24; ms += 1) {
      clock.advanceSync(1);
      await yieldCheckpoint(token);
    }
    expect(pauses).toEqual([8, 16, 24]);
    setTimer.mockRestore();
  });

  it('yieldCheckpoint pauses as often as everyMs says; 0 is every time', async () => {
    const clock = new VirtualClock();
    const { token } = new CancellationTokenSource({ clock });
    let pauses = 0;
    vi.spyOn(clock, 'setTimer').mockImplementation((fn) => {
      pauses += 1;
      queueMicrotask(fn);
      return { release: () => {} };
    });
    await yieldCheckpoint(token, { everyMs: 50 });
    clock.advanceSync(49);
    await yieldCheckpoint(token, { everyMs: 50 });
    expect(pauses).toBe(0);
    clock.advanceSync(1);
    await yieldCheckpoint(token, { everyMs: 50 });
    expect(pauses).toBe(1);
    for (let i = 0; i < 3; i += 1) await yieldCheckpoint(token, { everyMs: 0 });
    expect(pauses).toBe(4);
  });

  it('yieldCheckpoint hears in the pause of a cancel that needs the event loop', async () => {
    const source = new CancellationTokenSource();
    setImmediate(() => source.cancel('user'));
    const error = await errorOf(
      (async () => {
        for (;;) await yieldCheckpoint(source.token, { everyMs: 0 });
      })(),
    );
    expect(error).toBe(source.signal.reason);
  });

  it('yieldCheckpoint checks again after the pause: a stop that came in it is heard at once', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    await yieldCheckpoint(source.token, { everyMs: 0 });
    const stopped = errorOf(yieldCheckpoint(source.token, { everyMs: 0 }));
    source.cancel('user');
    await clock.advance(0);
    expect(await stopped).toBe(source.signal.reason);
    expect(clock.pending).toBe(0);
  });

  it('yieldCheckpoint keeps the process alive in the pause: somebody waits for it', async () => {
    const clock = new VirtualClock();
    const setTimer = vi.spyOn(clock, 'setTimer');
    const { token } = new CancellationTokenSource({ clock });
    await yieldCheckpoint(token, { everyMs: 0 });
    const paused = yieldCheckpoint(token, { everyMs: 0 });
    expect(setTimer.mock.calls.map(([, ms, options]) => [ms, options])).toEqual([[0, { ref: true }]]);
    await clock.advance(0);
    await paused;
  });

  it('yieldCheckpoint leaves no listener', async () => {
    const { signal } = new AbortController();
    await yieldCheckpoint(signal, { everyMs: 0 });
    await yieldCheckpoint(signal, { everyMs: 0 });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it.each([
    ['session', {}, TypeError, /"session"/],
    [null, { everyMs: '8' }, TypeError, /everyMs.*"8"/],
    [null, { everyMs: -1 }, RangeError, /everyMs.*-1/],
    [null, { everyMs: NaN }, RangeError, /everyMs.*NaN/],
    [null, { everyMs: Infinity }, RangeError, /everyMs.*Infinity/],
  ])('bad input (%j, %j) is a rejection', async (token, options, type, text) => {
    const error = await errorOf(yieldCheckpoint(token as never, options as never));
    expect(error).toBeInstanceOf(type);
    expect((error as Error).message).toMatch(text);
  });
});

describe('withCheckpoints', () => {
  it('withCheckpoints keeps this, the arguments and the result', () => {
    const { token } = new CancellationTokenSource();
    const counter = {
      total: 40,
      add: withCheckpoints(token, function (this: { total: number }, a: number, b: number) {
        return this.total + a + b;
      }),
    };
    expect(counter.add(1, 1)).toBe(42);
  });

  it('withCheckpoints keeps synchronous synchronous and async async', async () => {
    const { token } = new CancellationTokenSource();
    expect(withCheckpoints(token, () => 7)()).toBe(7);
    expect(withCheckpoints(token, async () => 7)()).toBeInstanceOf(Promise);
    expect(await withCheckpoints(token, async () => 7)()).toBe(7);
    expect(await withCheckpoints(null, async () => 7)()).toBe(7);
  });

  it('withCheckpoints checks before: the function is not called', async () => {
    const source = new CancellationTokenSource();
    const fn = vi.fn();
    const wrapped = withCheckpoints(source.token, fn);
    source.cancel('user');
    expect(thrownBy(wrapped)).toBe(source.signal.reason);
    expect(fn).not.toHaveBeenCalled();
    expect((thrownBy(wrapped) as CancelledError).completed).toBeUndefined();
  });

  it('withCheckpoints checks after: what was finished stands in the error (synchronous)', () => {
    const source = new CancellationTokenSource();
    const wrapped = withCheckpoints(source.token, () => {
      source.cancel('user');
      return { saved: true };
    });
    const error = thrownBy(wrapped);
    expect(error).toBeInstanceOf(CancelledError);
    expect(error).toMatchObject({ completed: { value: { saved: true } } });
    expect((error as CancelledError).reason).toBe(source.reason);
  });

  it.each([undefined, null, 0, false])(
    'withCheckpoints keeps in the error what was finished, also when it is %j',
    (value) => {
      const source = new CancellationTokenSource();
      const error = thrownBy(withCheckpoints(source.token, () => (source.cancel(), value)));
      expect((error as CancelledError).completed).toEqual({ value });
    },
  );

  it('withCheckpoints checks after: what was finished stands in the error (async)', async () => {
    const source = new CancellationTokenSource();
    const answer = deferred<string>();
    const wrapped = withCheckpoints(source.token, () => answer.promise);
    const stopped = errorOf(wrapped());
    source.cancel('user');
    answer.resolve('saved');
    expect(await stopped).toMatchObject({ name: 'AbortError', completed: { value: 'saved' } });
  });

  it('withCheckpoints checks after: a thenable as well', async () => {
    const source = new CancellationTokenSource();
    const answer = deferred<string>();
    const wrapped = withCheckpoints(source.token, (): PromiseLike<string> => ({
      then: (onValue, onError) => answer.promise.then(onValue, onError),
    }));
    const stopped = errorOf(Promise.resolve(wrapped()));
    source.cancel('user');
    answer.resolve('saved');
    expect(await stopped).toMatchObject({ name: 'AbortError', completed: { value: 'saved' } });
  });

  it('withCheckpoints compares the clock with the deadline, before and after', () => {
    const clock = new HandClock();
    const source = new CancellationTokenSource({ clock, timeoutMs: 50 });
    const wrapped = withCheckpoints(source.token, (takesMs: number) => (clock.at += takesMs));
    expect(wrapped(30)).toBe(30);
    expect(thrownBy(() => wrapped(30))).toMatchObject({ reason: { kind: 'deadline' }, completed: { value: 60 } });
    expect((thrownBy(() => wrapped(30)) as CancelledError).completed).toBeUndefined();
    expect(clock.at).toBe(60);
  });

  it('a failure is a failure, also after a cancel', async () => {
    const source = new CancellationTokenSource();
    const failure = new Error('disk full');
    expect(
      thrownBy(
        withCheckpoints(source.token, () => {
          source.cancel();
          throw failure;
        }),
      ),
    ).toBe(failure);
    const other = new CancellationTokenSource();
    expect(
      await errorOf(
        withCheckpoints(other.token, async () => {
          other.cancel();
          throw failure;
        })(),
      ),
    ).toBe(failure);
  });

  it.each([
    ['session', () => 7, /"session"/],
    [null, 'fn', /"fn"/],
    [null, undefined, /undefined/],
  ])('withCheckpoints refuses (%j, %s) at the call', (token, fn, text) => {
    const error = thrownBy(() => withCheckpoints(token as never, fn as never));
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toMatch(text);
  });
});
