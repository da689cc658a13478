import { getEventListeners } from 'node:events';
import { runInNewContext } from 'node:vm';

import { describe, expect, it, vi } from 'vitest';

import {
  CancellationToken,
  CancellationTokenSource,
  CancelledError,
  raceCancellation,
  type LateOutcome,
} from '../../../src/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The error a promise rejects with; listens at once. */
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => Promise.reject(new Error('did not reject')),
    (error: unknown) => error,
  );

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe('the promise wins', () => {
  it('the promise wins with its value, its error, or a plain value', async () => {
    const { token } = new CancellationTokenSource();
    expect(await raceCancellation(token, Promise.resolve(7))).toBe(7);
    expect(await raceCancellation(token, 7)).toBe(7);
    expect(await raceCancellation(null, null)).toBe(null);
    expect(await errorOf(raceCancellation(token, Promise.reject(new Error('disk full'))))).toEqual(
      new Error('disk full'),
    );
  });

  it('the promise wins when it has settled already and the token is already cancelled', async () => {
    const token = CancellationToken.alreadyCancelled('user');
    expect(await raceCancellation(token, Promise.resolve(7))).toBe(7);
    expect(await raceCancellation(token, 7)).toBe(7);
    expect(await errorOf(raceCancellation(token, Promise.reject(new Error('disk full'))))).toEqual(
      new Error('disk full'),
    );
    expect(await raceCancellation(AbortSignal.abort(), Promise.resolve(7))).toBe(7);
  });

  it.each(['cancel', 'kill'] as const)(
    'S13 the promise wins when it settles before the %s of the same tick',
    async (stop) => {
      for (const settle of ['resolve', 'reject'] as const) {
        const source = new CancellationTokenSource();
        const answer = deferred<number>();
        const late: unknown[] = [];
        const promise = raceCancellation(source.token, answer.promise, {
          onLateSettle: (outcome) => late.push(outcome),
        });
        const seen = promise.then(
          (value) => ['value', value],
          (error: unknown) => ['error', error],
        );
        if (settle === 'resolve') answer.resolve(7);
        else answer.reject(new Error('disk full'));
        source[stop]('user');
        expect(await seen).toEqual(settle === 'resolve' ? ['value', 7] : ['error', new Error('disk full')]);
        await turn();
        expect(late).toEqual([]);
      }
    },
  );
});

describe('the token wins', () => {
  it('the token wins over a promise that never settles, with its one error', async () => {
    const source = new CancellationTokenSource();
    const stopped = errorOf(raceCancellation(source.token, new Promise(() => {})));
    source.cancel({ kind: 'user', by: 'ada' });
    const error = await stopped;
    expect(error).toBeInstanceOf(CancelledError);
    expect(error).toBe(source.signal.reason);
    expect((error as CancelledError).reason).toBe(source.reason);
  });

  it('the token wins at once when it is already cancelled', async () => {
    const token = CancellationToken.alreadyCancelled('user');
    expect(await errorOf(raceCancellation(token, new Promise(() => {})))).toBe(token.signal.reason);
  });

  it('the token wins within the tick: before the next macrotask', async () => {
    const source = new CancellationTokenSource();
    let settled = false;
    const promise = raceCancellation(source.token, new Promise(() => {})).catch(() => (settled = true));
    source.cancel();
    for (let microtask = 0; microtask < 4; microtask += 1) await Promise.resolve();
    expect(settled).toBe(true);
    await promise;
  });

  it('a token that wins does not stop the work behind the promise', async () => {
    const source = new CancellationTokenSource();
    const answer = deferred<number>();
    let ran = false;
    const work = answer.promise.then(() => (ran = true));
    const stopped = errorOf(raceCancellation(source.token, work));
    source.cancel();
    await stopped;
    answer.resolve(1);
    await work;
    expect(ran).toBe(true);
  });
});

describe('the loser', () => {
  it.each([
    ['value', { status: 'completed', value: 7 }],
    ['error', { status: 'failed', error: new Error('late') }],
  ])('the loser is observed: its %s goes to onLateSettle, once', async (how, outcome) => {
    const source = new CancellationTokenSource();
    const answer = deferred<number>();
    const late: LateOutcome<number>[] = [];
    const stopped = errorOf(raceCancellation(source.token, answer.promise, { onLateSettle: (o) => late.push(o) }));
    source.cancel('user');
    await stopped;
    expect(late).toEqual([]);
    if (how === 'value') answer.resolve(7);
    else answer.reject(new Error('late'));
    await turn();
    expect(late).toEqual([outcome]);
  });

  it('S35 the loser never becomes an unhandled rejection, without onLateSettle as well', async () => {
    const source = new CancellationTokenSource();
    const answer = deferred<number>();
    const stopped = errorOf(raceCancellation(source.token, answer.promise));
    source.cancel('user');
    await stopped;
    answer.reject(new Error('late'));
    await turn();
  });

  it('S35 a promise that was handed over with arguments that make no sense never becomes an unhandled rejection', async () => {
    const failing = (): Promise<never> => Promise.reject(new Error('disk full'));
    expect(await errorOf(raceCancellation('session' as never, failing()))).toBeInstanceOf(TypeError);
    expect(await errorOf(raceCancellation(null, failing(), { onLateSettle: 7 as never }))).toBeInstanceOf(TypeError);
    await turn();
  });

  it.each<[string, () => void]>([
    [
      'throws',
      () => {
        throw new Error('callback');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('callback');
      },
    ],
  ])('S35 an onLateSettle that %s is reported like any other callback', async (_, onLateSettle) => {
    const reported: unknown[] = [];
    const source = new CancellationTokenSource({ onCallbackError: (error) => reported.push(error) });
    const answer = deferred<number>();
    const stopped = errorOf(raceCancellation(source.token, answer.promise, { onLateSettle }));
    source.cancel('user');
    await stopped;
    answer.resolve(7);
    await turn();
    expect(reported).toEqual([new Error('callback')]);
  });
});

describe('listeners on a native signal', () => {
  it('listeners on a native signal are back to zero after a value, an error and a cancel', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    await raceCancellation(signal, Promise.resolve(7));
    await raceCancellation(signal, 7);
    await errorOf(raceCancellation(signal, Promise.reject(new Error('disk full'))));
    expect(listeners(signal)).toBe(0);
    const stopped = errorOf(raceCancellation(signal, new Promise(() => {})));
    expect(listeners(signal)).toBe(1);
    controller.abort();
    await stopped;
    expect(listeners(signal)).toBe(0);
  });

  it('S34 listeners on a native signal are one for a thousand waits', async () => {
    const { signal } = new AbortController();
    const answer = deferred<number>();
    const waits = Array.from({ length: 1_000 }, () => raceCancellation(signal, answer.promise));
    expect(listeners(signal)).toBe(1);
    answer.resolve(7);
    await Promise.all(waits);
    expect(listeners(signal)).toBe(0);
  });

  it('listeners on a native signal are back to zero after a thenable that calls back at once', async () => {
    const { signal } = new AbortController();
    const now = { then: (resolve: (value: number) => void) => resolve(7) } as PromiseLike<number>;
    expect(await raceCancellation(signal, now)).toBe(7);
    expect(listeners(signal)).toBe(0);
    const never = {
      then: (_: unknown, reject: (error: unknown) => void) => reject(new Error('no')),
    } as PromiseLike<never>;
    expect(await errorOf(raceCancellation(signal, never))).toEqual(new Error('no'));
    expect(listeners(signal)).toBe(0);
  });

  it('listeners on a native signal are back to zero after a thenable that throws', async () => {
    const { signal } = new AbortController();
    const broken = {
      then: () => {
        throw new Error('no');
      },
    } as unknown as PromiseLike<never>;
    expect(await errorOf(raceCancellation(signal, broken))).toEqual(new Error('no'));
    expect(listeners(signal)).toBe(0);
  });
});

it('raceCancellation knows a promise of another realm for one: settled already, it beats an already cancelled token', async () => {
  const foreign = runInNewContext('Promise.resolve(7)') as Promise<number>;
  expect(foreign).not.toBeInstanceOf(Promise);
  expect(await raceCancellation(CancellationToken.alreadyCancelled('user'), foreign)).toBe(7);
});

describe('a thenable that is no promise', () => {
  it('a thenable that is no promise is asked at once and only once: a query may start with it', async () => {
    const then = vi.fn((resolve: (value: number) => void) => {
      resolve(7);
    });
    const waiting = raceCancellation(CancellationToken.alreadyCancelled('user'), { then } as unknown as PromiseLike<7>);
    expect(then).toHaveBeenCalledTimes(1);
    expect(await waiting).toBe(7);
    expect(then).toHaveBeenCalledTimes(1);
  });

  it('a thenable that is no promise may answer with one more promise, which is waited for no longer than the token lives', async () => {
    const source = new CancellationTokenSource();
    const pending = { then: (resolve: (value: unknown) => void) => resolve(new Promise(() => {})) };
    const waiting = raceCancellation(source.token, pending as PromiseLike<unknown>);
    await Promise.resolve();
    source.cancel('user');
    await expect(waiting).rejects.toBe(source.signal.reason);
  });

  it('a thenable that is no promise may answer twice, and is heard once', async () => {
    const source = new CancellationTokenSource();
    const onLateSettle = vi.fn();
    let answer = (_value: number): void => undefined;
    const twice = { then: (resolve: (value: number) => void) => void (answer = resolve) };
    const waiting = raceCancellation(source.token, twice as unknown as PromiseLike<number>, { onLateSettle });
    await Promise.resolve();
    source.cancel('user');
    await expect(waiting).rejects.toBe(source.signal.reason);
    answer(1);
    answer(2);
    await Promise.resolve();
    await Promise.resolve();
    expect(onLateSettle.mock.calls).toEqual([[{ status: 'completed', value: 1 }]]);
  });
});

describe('bad input', () => {
  it.each([
    ['a token', 'session', undefined, /"session"/],
    ['a token', 7, undefined, /7/],
    ['a token', {}, undefined, /Object/],
    ['onLateSettle', null, { onLateSettle: 'log' }, /onLateSettle.*"log"/],
  ])('bad input is a TypeError, as a rejection: %s %j %j', async (_, token, options, text) => {
    const error = await errorOf(raceCancellation(token as never, 7, options as never));
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toMatch(text);
  });
});
