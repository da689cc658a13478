import { getEventListeners } from 'node:events';

import { describe, expect, it, vi } from 'vitest';

import {
  CancellationToken,
  CancellationTokenSource,
  CancelledError,
  DeadlineExceededError,
  delay,
  runUntilCancelled,
  withCancellation,
  type CancelContext,
  type Outcome,
  type WithCancellationOptions,
} from '../../../src/index.ts';
import type { CancellableWork } from '../../../src/core/combinators/engine/start-work.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

/** The error a promise rejects with. */
async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  const settled = await promise.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  expect(settled, 'rejects').toBeDefined();
  return settled?.error;
}

/** Work that stops when it is told to, as an SDK would: it rejects with the signal's reason. */
function obedient({ signal }: CancelContext): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

const deaf = (): Promise<never> => new Promise(() => {});

function sourceOn(clock: VirtualClock): CancellationTokenSource {
  return new CancellationTokenSource({ clock, name: 'session' });
}

describe('the result', () => {
  it.each([
    ['a value', () => 7],
    ['a promise', () => Promise.resolve(7)],
    ['an async function', async () => 7],
    ['a thenable', () => ({ then: (resolve: (value: number) => void) => resolve(7) }) as PromiseLike<number>],
  ])('the result of %s is returned', async (_, work) => {
    expect(await withCancellation(null, work)).toBe(7);
    expect(await runUntilCancelled(undefined, work)).toEqual({ status: 'completed', value: 7 });
  });

  it.each([undefined, null, false, 0, ''])('the result may be %j', async (value) => {
    expect(await withCancellation(null, () => value)).toBe(value);
  });

  it.each([
    [
      'thrown',
      () => {
        throw new Error('disk full');
      },
    ],
    ['rejected', () => Promise.reject(new Error('disk full'))],
  ])('the result that is an error, %s, passes unchanged', async (_, work: () => never | Promise<never>) => {
    const error = await errorOf(withCancellation(new CancellationTokenSource().token, work));
    expect(error).toEqual(new Error('disk full'));
    expect(await runUntilCancelled(null, work)).toEqual({ status: 'failed', error: new Error('disk full') });
  });

  it('the result that is a thrown non-error passes unchanged', async () => {
    for (const thrown of [null, undefined, 'text', 0]) {
      expect(
        await errorOf(
          withCancellation(null, () => {
            throw thrown;
          }),
        ),
      ).toBe(thrown);
    }
  });
});

describe('a fresh child', () => {
  it('a fresh child is what the work gets: its own token and signal, cancelled with the parent for the same reason', async () => {
    const source = new CancellationTokenSource();
    const seen: CancelContext[] = [];
    const work = (context: CancelContext): Promise<never> => {
      seen.push(context);
      return obedient(context);
    };
    const both = [withCancellation(source.token, work), withCancellation(source.token, work)].map(errorOf);
    expect(seen[0]?.token).not.toBe(source.token);
    expect(seen[0]?.token).not.toBe(seen[1]?.token);
    expect(seen[0]?.signal).toBe(seen[0]?.token.signal);
    source.cancel({ kind: 'user', by: 'ada' });
    expect(seen[0]?.token.reason).toBe(source.reason);
    await Promise.all(both);
  });

  it('a fresh child is released when the work settles: a later cancel does not reach it', async () => {
    const source = new CancellationTokenSource();
    const signals: AbortSignal[] = [];
    await withCancellation(source.token, ({ signal }) => void signals.push(signal));
    await withCancellation(source.token, async ({ signal }) => void signals.push(signal));
    await errorOf(
      withCancellation(source.token, async ({ signal }) => {
        signals.push(signal);
        throw new Error('disk full');
      }),
    );
    source.cancel('user');
    expect(signals.map((signal) => signal.aborted)).toEqual([false, false, false]);
  });

  it('a fresh child carries the name, and the clock of the token', async () => {
    const clock = new VirtualClock({ startAt: 5_000 });
    const outcome = await runUntilCancelled(sourceOn(clock).token, ({ token }) => [token.name, token.remainingMs()], {
      name: 'search',
      timeoutMs: 30,
    });
    expect(outcome).toEqual({ status: 'completed', value: ['search', 30] });
  });
});

describe('already cancelled beats starting', () => {
  it('the work is never called', async () => {
    const token = CancellationToken.alreadyCancelled('user');
    const work = vi.fn();
    const error = await errorOf(withCancellation(token, work));
    expect(error).toBeInstanceOf(CancelledError);
    expect((error as CancelledError).reason).toBe(token.reason);
    expect(await runUntilCancelled(token, work)).toEqual({ status: 'cancelled', reason: token.reason });
    expect(work).not.toHaveBeenCalled();
  });

  it('already cancelled beats starting also for a native signal', async () => {
    const work = vi.fn();
    expect(await errorOf(withCancellation(AbortSignal.abort(), work))).toMatchObject({ name: 'AbortError' });
    expect(work).not.toHaveBeenCalled();
  });
});

describe('already settled beats a cancel in the same tick', () => {
  const policies = ['abandon', 'try', 'wait'] as const;

  it.each(policies)('S13 a value, then cancel (%s)', async (settle) => {
    const source = new CancellationTokenSource();
    const answer = deferred<number>();
    const promise = withCancellation(source.token, () => answer.promise, { settle });
    answer.resolve(7);
    source.cancel('user');
    expect(await promise).toBe(7);
  });

  it.each(policies)('S13 a value, then kill (%s)', async (settle) => {
    const source = new CancellationTokenSource();
    const answer = deferred<number>();
    const promise = withCancellation(source.token, () => answer.promise, { settle });
    answer.resolve(7);
    source.kill('user');
    expect(await promise).toBe(7);
  });

  it('S13 a value in the grace, then kill', async () => {
    const source = new CancellationTokenSource();
    const answer = deferred<number>();
    const promise = withCancellation(source.token, () => answer.promise);
    source.cancel('user');
    answer.resolve(7);
    source.kill('user');
    expect(await promise).toBe(7);
  });

  it.each(policies)('a failure, then cancel: it stays a failure (%s)', async (settle) => {
    const source = new CancellationTokenSource();
    const answer = deferred<number>();
    const promise = runUntilCancelled(source.token, () => answer.promise, { settle });
    const failure = new Error('disk full');
    answer.reject(failure);
    source.cancel('user');
    expect(await promise).toEqual({ status: 'failed', error: failure });
  });

  it('a synchronous result of work that brought about its own cancel', async () => {
    const source = new CancellationTokenSource();
    const saved = await withCancellation(source.token, () => {
      source.cancel('user');
      return 'saved';
    });
    expect(saved).toBe('saved');
  });
});

describe('a cancel from above', () => {
  it('a cancel from above passes through unchanged: the one error of the token, for everybody', async () => {
    const source = new CancellationTokenSource();
    const first = errorOf(withCancellation(source.token, obedient));
    const second = errorOf(withCancellation(source.token, obedient));
    source.cancel({ kind: 'user', by: 'ada' });
    const error = await first;
    expect(error).toBeInstanceOf(CancelledError);
    expect((error as CancelledError).reason).toBe(source.reason);
    expect(await second).toBe(error);
    expect(source.signal.reason).toBe(error);
    expect(() => source.token.throwIfCancelled()).toThrow(error);
  });

  it('a cancel from above passes through several levels as the same object', async () => {
    const source = new CancellationTokenSource();
    const inner: unknown[] = [];
    const promise = errorOf(
      withCancellation(source.token, ({ token }) =>
        withCancellation(token, obedient, { timeoutMs: 1_000_000 }).catch((error: unknown) => {
          inner.push(error);
          throw error;
        }),
      ),
    );
    source.cancel('shutdown');
    expect(await promise).toBe(inner[0]);
    expect(source.signal.reason).toBe(inner[0]);
  });

  it('a cancel from above by the deadline of an outer scope stays a cancellation: the limit is not this function’s', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock, timeoutMs: 50 });
    const promise = errorOf(withCancellation(source.token, obedient, { timeoutMs: 100 }));
    await clock.advance(50);
    const error = await promise;
    expect(error).toBeInstanceOf(CancelledError);
    expect((error as CancelledError).reason).toBe(source.reason);
    expect(source.reason?.kind).toBe('deadline');
  });

  it('a cancel from above at the same instant as the own limit is still the outer one’s', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock, timeoutMs: 50 });
    const promise = errorOf(withCancellation(source.token, obedient, { timeoutMs: 50 }));
    await clock.advance(50);
    expect(await promise).toBe(source.signal.reason);
  });

  it('a cancel from above from a native signal carries its reason as the cause', async () => {
    const controller = new AbortController();
    const promise = errorOf(withCancellation(controller.signal, obedient));
    controller.abort(new Error('tab closed'));
    expect(await promise).toMatchObject({ name: 'AbortError', reason: { cause: new Error('tab closed') } });
  });

  it.each([
    ['AbortError', new DOMException('gone', 'AbortError')],
    ['terminated', new TypeError('terminated')],
    ['the plain reason', null],
  ])('an SDK’s own words for it (%s) become the token’s error', async (_, thrown) => {
    const source = new CancellationTokenSource();
    const promise = errorOf(
      withCancellation(source.token, async ({ token }) => {
        await token.whenCancelled();
        throw thrown;
      }),
    );
    source.cancel('user');
    expect(await promise).toBe(source.signal.reason);
  });

  it('a cancel from above does not hide a genuine failure that raced it', async () => {
    const source = new CancellationTokenSource();
    const failure = new Error('disk full');
    const promise = errorOf(
      withCancellation(source.token, async ({ token }) => {
        await token.whenCancelled();
        throw failure;
      }),
    );
    source.cancel('user');
    expect(await promise).toBe(failure);
  });

  it('a cancel from above does not claim somebody else’s limit that passed inside', async () => {
    const clock = new VirtualClock();
    const source = sourceOn(clock);
    const promise = errorOf(
      withCancellation(source.token, async ({ token }) => {
        await token.whenCancelled();
        throw new DOMException('upstream took too long', 'TimeoutError');
      }),
    );
    source.cancel('user');
    expect(await promise).toMatchObject({ name: 'TimeoutError', message: 'upstream took too long' });
  });

  it('somebody else’s abort without a cancel is a failure', async () => {
    const abort = new DOMException('gone', 'AbortError');
    expect(await runUntilCancelled(new CancellationTokenSource().token, () => Promise.reject(abort))).toEqual({
      status: 'failed',
      error: abort,
    });
  });
});

describe('limits', () => {
  it('its own total limit is DeadlineExceededError with limitMs', async () => {
    const clock = new VirtualClock();
    const promise = errorOf(withCancellation(sourceOn(clock).token, obedient, { timeoutMs: 250 }));
    await clock.advance(249);
    expect(clock.pending).toBeGreaterThan(0);
    await clock.advance(1);
    const error = await promise;
    expect(error).toBeInstanceOf(DeadlineExceededError);
    expect(error).toMatchObject({ name: 'TimeoutError', limitMs: 250, reason: { kind: 'deadline', at: 250 } });
    expect(clock.pending).toBe(0);
  });

  it('its own idle limit is DeadlineExceededError with limitMs', async () => {
    const clock = new VirtualClock();
    const promise = errorOf(withCancellation(sourceOn(clock).token, obedient, { idleMs: 40, timeoutMs: 1_000 }));
    await clock.advance(40);
    const error = await promise;
    expect(error).toBeInstanceOf(DeadlineExceededError);
    expect(error).toMatchObject({ limitMs: 40, reason: { kind: 'idle' } });
    expect(clock.pending).toBe(0);
  });

  it('limits are, inside the work, cancellations of kind deadline', async () => {
    const clock = new VirtualClock();
    const inner = deferred<unknown>();
    const promise = errorOf(
      withCancellation(
        sourceOn(clock).token,
        ({ token }) =>
          withCancellation(token, obedient).catch((error: unknown) => {
            inner.resolve(error);
            throw error;
          }),
        { timeoutMs: 10 },
      ),
    );
    await clock.advance(10);
    expect(await inner.promise).toBeInstanceOf(CancelledError);
    expect(await promise).toBeInstanceOf(DeadlineExceededError);
  });

  it('a limit of an inner call passes an outer one as it is', async () => {
    const clock = new VirtualClock();
    const promise = errorOf(
      withCancellation(sourceOn(clock).token, ({ token }) => withCancellation(token, obedient, { timeoutMs: 10 }), {
        timeoutMs: 1_000,
      }),
    );
    await clock.advance(10);
    expect(await promise).toMatchObject({ name: 'TimeoutError', limitMs: 10 });
    expect(clock.pending).toBe(0);
  });

  it('a value that came with the limit is a value', async () => {
    const clock = new VirtualClock();
    const promise = withCancellation(
      sourceOn(clock).token,
      async ({ token }) => {
        await token.whenCancelled();
        return 'unwound';
      },
      { timeoutMs: 10 },
    );
    await clock.advance(10);
    expect(await promise).toBe('unwound');
  });

  it('limits are, as data, a cancelled outcome, and nothing rejects', async () => {
    const clock = new VirtualClock();
    const total = runUntilCancelled(sourceOn(clock).token, obedient, { timeoutMs: 10 });
    const idle = runUntilCancelled(sourceOn(clock).token, obedient, { idleMs: 10 });
    await clock.advance(10);
    expect(await total).toMatchObject({ status: 'cancelled', reason: { kind: 'deadline' } });
    expect(await idle).toMatchObject({ status: 'cancelled', reason: { kind: 'idle' } });
  });

  it('limits are measured by the clock of the call, if it has one', async () => {
    const ours = new VirtualClock();
    const theirs = new VirtualClock();
    const promise = errorOf(
      withCancellation(sourceOn(theirs).token, obedient, { timeoutMs: 10, idleMs: 100, clock: ours }),
    );
    await theirs.advance(1_000);
    expect(theirs.pending).toBe(0);
    await ours.advance(10);
    expect(await promise).toMatchObject({ name: 'TimeoutError', limitMs: 10 });
  });

  it('limits longer than 2³¹−1 ms are kept', async () => {
    const clock = new VirtualClock();
    const limit = 2 ** 31 + 1_000;
    const promise = errorOf(withCancellation(sourceOn(clock).token, obedient, { timeoutMs: limit }));
    await clock.advance(limit - 1);
    let settled = false;
    void promise.then(() => (settled = true));
    await clock.advance(0);
    expect(settled).toBe(false);
    await clock.advance(1);
    expect(await promise).toMatchObject({ limitMs: limit });
  });

  it('limits of Infinity arm nothing', async () => {
    const clock = new VirtualClock();
    const answer = deferred();
    const promise = withCancellation(sourceOn(clock).token, () => answer.promise, {
      timeoutMs: Infinity,
      idleMs: Infinity,
    });
    expect(clock.pending).toBe(0);
    answer.resolve();
    await promise;
  });

  it('limits leave no timer once the promise has settled, also when the result is a body', async () => {
    const clock = new VirtualClock();
    const options = { timeoutMs: 100, idleMs: 50 };
    await withCancellation(sourceOn(clock).token, () => 7, options);
    await withCancellation(sourceOn(clock).token, async () => 7, options);
    await errorOf(withCancellation(sourceOn(clock).token, () => Promise.reject(new Error('disk full')), options));
    expect(clock.pending).toBe(0);
    await withCancellation(sourceOn(clock).token, async () => new ReadableStream(), options);
    expect(clock.pending).toBe(0);
  });
});

describe('listeners on a native signal', () => {
  const count = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

  it('listeners on a native signal are back to zero after a value, a failure, a cancel and an abandon', async () => {
    const { signal } = new AbortController();
    await withCancellation(signal, ({ signal: own }) => own.aborted);
    await withCancellation(signal, async ({ signal: own }) => own.aborted);
    await errorOf(withCancellation(signal, async ({ signal: own }) => Promise.reject(new Error(String(own.aborted)))));
    expect(count(signal)).toBe(0);

    for (const work of [obedient, deaf]) {
      const controller = new AbortController();
      const promise = errorOf(withCancellation(controller.signal, work, { graceMs: 0 }));
      expect(count(controller.signal)).toBe(1);
      controller.abort();
      await promise;
      expect(count(controller.signal)).toBe(0);
    }
  });

  it('listeners on a native signal are one, however many calls run at once', async () => {
    const { signal } = new AbortController();
    const answer = deferred();
    const calls = Array.from({ length: 200 }, () =>
      withCancellation(signal, ({ signal: own }) => {
        own.addEventListener('abort', () => {});
        return answer.promise;
      }),
    );
    expect(count(signal)).toBe(1);
    answer.resolve();
    await Promise.all(calls);
    expect(count(signal)).toBe(0);
  });

  it.each([
    [
      'a then that throws',
      () => ({
        get then(): never {
          throw new Error('no');
        },
      }),
    ],
    [
      'a thenable that throws',
      () => ({
        then: () => {
          throw new Error('no');
        },
      }),
    ],
  ])('listeners on a native signal are back to zero after %s', async (_, work: () => unknown) => {
    const { signal } = new AbortController();
    expect(await errorOf(withCancellation(signal, work))).toEqual(new Error('no'));
    expect(count(signal)).toBe(0);
  });
});

describe('nothing to stop it', () => {
  it.each([null, undefined, CancellationToken.none])('%s runs the work, limits included', async (token) => {
    const clock = new VirtualClock();
    expect(await withCancellation(token, () => 7)).toBe(7);
    const promise = errorOf(withCancellation(token, obedient, { timeoutMs: 10, clock }));
    await clock.advance(10);
    expect(await promise).toMatchObject({ limitMs: 10 });
  });
});

describe('bad input', () => {
  const fine = (): number => 7;
  const cases: readonly [string, unknown, unknown, WithCancellationOptions | undefined, typeof TypeError, RegExp][] = [
    ['token', 'session', fine, undefined, TypeError, /"session"/],
    ['token', { aborted: false }, fine, undefined, TypeError, /token/],
    ['work', null, 'fetch', undefined, TypeError, /"fetch"/],
    ['work', null, undefined, undefined, TypeError, /undefined/],
    ['settle', null, fine, { settle: 'later' as never }, TypeError, /"later"/],
    ['graceMs', null, fine, { graceMs: -1 }, RangeError, /-1/],
    ['graceMs', null, fine, { graceMs: NaN }, RangeError, /NaN/],
    ['graceMs', null, fine, { graceMs: '5' as never }, TypeError, /"5"/],
    ['timeoutMs', null, fine, { timeoutMs: -2 }, RangeError, /-2/],
    ['timeoutMs', null, fine, { timeoutMs: NaN }, RangeError, /NaN/],
    ['timeoutMs', null, fine, { timeoutMs: '1s' as never }, TypeError, /"1s"/],
    ['idleMs', null, fine, { idleMs: -3 }, RangeError, /-3/],
    ['idleMs', null, fine, { idleMs: true as never }, TypeError, /true/],
    ['name', null, fine, { name: 7 as never }, TypeError, /7/],
    ['onLateSettle', null, fine, { onLateSettle: 7 as never }, TypeError, /7/],
    ['clock', null, fine, { clock: {} as never }, TypeError, /an instance of Object/],
  ];
  it.each(cases)('bad input is refused: %s: %s', async (name, token, work, options, type, value) => {
    for (const run of [withCancellation, runUntilCancelled]) {
      const error = await errorOf(run(token as never, work as never, options));
      expect(error).toBeInstanceOf(type);
      expect((error as Error).message).toMatch(value);
      expect((error as Error).message).toContain(name);
    }
  });

  it('bad input leaves nothing behind', async () => {
    const clock = new VirtualClock();
    const { signal } = new AbortController();
    await errorOf(withCancellation(signal, fine, { clock, timeoutMs: 10, graceMs: -1 }));
    await errorOf(withCancellation(signal, fine, { clock, timeoutMs: 10, name: 7 as never }));
    expect(clock.pending).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('a value after the stop', () => {
  const stopLater = async (work: CancellableWork<unknown>): Promise<Outcome<unknown>> => {
    const source = new CancellationTokenSource();
    const outcome = runUntilCancelled(source.token, work);
    await Promise.resolve();
    source.cancel('user');
    return outcome;
  };

  it('a value after the stop says so', async () => {
    const outcome = await stopLater(async ({ token }) => {
      await token.whenCancelled();
      return 'half a text';
    });
    expect(outcome).toEqual({ status: 'completed', value: 'half a text', afterStop: true });
  });

  it('a value after the stop does not, if it settled in the tick of the stop, before it or behind it', async () => {
    for (const order of ['before', 'behind'] as const) {
      const source = new CancellationTokenSource();
      let settle: (value: string) => void = () => undefined;
      const outcome = runUntilCancelled(source.token, () => new Promise<string>((resolve) => (settle = resolve)));
      if (order === 'before') settle('done');
      source.cancel('user');
      settle('done');
      expect(await outcome).toEqual({ status: 'completed', value: 'done' });
    }
  });

  it('a value after the stop does not, if a commit made it', async () => {
    const outcome = await stopLater(({ commit, token }) => commit(() => token.whenCancelled().then(() => 'saved')));
    expect(outcome).toEqual({ status: 'completed', value: 'saved' });
  });
});

describe('isStop', () => {
  it('names the errors by which a client says that it was aborted', async () => {
    const run = (isStop: (error: unknown) => boolean, stop: boolean): Promise<Outcome<unknown>> => {
      const source = new CancellationTokenSource();
      const work = async (): Promise<never> => {
        await Promise.resolve();
        throw new Error('Generator is closed');
      };
      const outcome = runUntilCancelled(source.token, work, { isStop });
      if (stop) source.cancel('user');
      return outcome;
    };
    const closed = (error: unknown): boolean => error instanceof Error && error.message === 'Generator is closed';
    expect(await run(closed, true)).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
    expect((await run(closed, false)).status).toBe('failed');
    expect((await run(() => false, true)).status).toBe('failed');
    await expect(withCancellation(null, () => 1, { isStop: 1 as never })).rejects.toThrow(TypeError);
  });
});

describe('progress({ idleMs })', () => {
  it('progress({ idleMs }) sets the limit on silence from here on, and the error says which one passed', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    const done = withCancellation(
      source.token,
      ({ token, progress }) => {
        progress({ idleMs: 50 });
        return delay(token, 60_000);
      },
      { idleMs: 1_000 },
    ).catch((error: unknown) => error);
    await clock.advance(49);
    await clock.advance(1);
    expect(await done).toMatchObject({ name: 'TimeoutError', limitMs: 50, reason: { kind: 'idle' } });
    expect(clock.pending).toBe(0);
  });

  it('progress({ idleMs }) takes no notice of what an event brings, and refuses what is no limit', async () => {
    await withCancellation(null, ({ progress }) => {
      progress('chunk');
      progress({ total: 5 });
      expect(() => {
        progress({ idleMs: -1 });
      }).toThrow(RangeError);
    });
  });
});

describe('commit({ limitMs })', () => {
  it('commit({ limitMs }) is how long a stop waits for it, in milliseconds from the stop; 30,000 by default, or the grace where that is longer', async () => {
    for (const [options, waitedMs, settings] of [
      [undefined, 30_000, undefined],
      [{ limitMs: 5_000 }, 5_000, undefined],
      [{ limitMs: 50 }, 1_000, undefined],
      [{ limitMs: 50 }, 400, { graceMs: 400 }],
      [{ limitMs: 50 }, 50, { graceMs: 10 }],
      [{ limitMs: 50 }, 50, { settle: 'abandon' }],
    ] as const) {
      const clock = new VirtualClock();
      const source = new CancellationTokenSource({ clock });
      const outcome = runUntilCancelled(
        source.token,
        ({ commit }) => commit(() => new Promise(() => undefined), options),
        settings,
      );
      await clock.advance(10_000);
      source.cancel('user');
      let status = 'running';
      void outcome.then((ended) => (status = ended.status));
      await clock.advance(waitedMs - 1);
      expect(status).toBe('running');
      await clock.advance(1);
      expect([status, clock.pending]).toEqual(['abandoned', 0]);
    }
  });
});

describe('a source passed where a token belongs', () => {
  it('a source passed where a token belongs is refused with what to write instead', async () => {
    const source = new CancellationTokenSource();
    await expect(withCancellation(source as never, () => 1)).rejects.toThrow(/got a source: pass source\.token$/);
  });
});
