import { getEventListeners } from 'node:events';

import { describe, expect, it, vi } from 'vitest';

import {
  CancellationToken,
  CancellationTokenSource,
  CancelledError,
  DeadlineExceededError,
  delay,
  retry,
  withCancellation,
  type CancelContext,
} from '../../../src/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

/** The error a promise rejects with; listens at once. */
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => Promise.reject(new Error('did not reject')),
    (error: unknown) => error,
  );

function session(): { clock: VirtualClock; source: CancellationTokenSource } {
  const clock = new VirtualClock();
  return { clock, source: new CancellationTokenSource({ clock }) };
}

/** Work that fails until its n-th attempt. */
function succeedsAt(n: number, failure: () => unknown = () => new Error('busy')) {
  return vi.fn((_context: CancelContext, attempt: number): number => {
    if (attempt < n) throw failure();
    return attempt;
  });
}

describe('retry', () => {
  it('retry returns the first success, and numbers the attempts from 1', async () => {
    expect(await retry(null, succeedsAt(1))).toBe(1);
    const work = succeedsAt(3);
    expect(await retry(null, work, { backoff: 0 })).toBe(3);
    expect(work.mock.calls.map(([, attempt]) => attempt)).toEqual([1, 2, 3]);
  });

  it('retry gives each attempt a fresh child', async () => {
    const { clock, source } = session();
    const contexts: CancelContext[] = [];
    const promise = retry(
      source.token,
      async (context, attempt) => {
        contexts.push(context);
        void context.signal;
        if (attempt === 1) throw new Error('busy');
      },
      { backoff: 0 },
    );
    await clock.advance(0);
    await promise;
    expect(contexts[0]?.token).not.toBe(contexts[1]?.token);
    source.cancel('user');
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  });

  it('retry gives up after 3 attempts with the last error, or after as many as it is told', async () => {
    for (const [attempts, count] of [
      [undefined, 3],
      [1, 1],
      [5, 5],
    ] as const) {
      const { clock, source } = session();
      const errors: Error[] = [];
      const stopped = errorOf(
        retry(
          source.token,
          () => {
            errors.push(new Error(`busy ${String(errors.length)}`));
            throw errors.at(-1);
          },
          { attempts, backoff: 10 },
        ),
      );
      await clock.advance(1_000);
      expect(await stopped).toBe(errors.at(-1));
      expect(errors).toHaveLength(count);
      expect(clock.pending).toBe(0);
    }
  });

  it('retry pauses by a fixed back-off, or by a function of attempt and error', async () => {
    const { clock, source } = session();
    const at: number[] = [];
    const fixed = retry(
      source.token,
      (_, attempt) => {
        at.push(clock.now());
        if (attempt < 3) throw new Error('busy');
      },
      { backoff: 50 },
    );
    await clock.advance(1_000);
    await fixed;
    expect(at).toEqual([0, 50, 100]);

    const asked: unknown[] = [];
    const start = clock.now();
    const own = retry(
      source.token,
      (_, attempt) => {
        at.push(clock.now() - start);
        if (attempt < 3) throw new Error(`busy ${String(attempt)}`);
      },
      { backoff: (attempt, error) => (asked.push([attempt, (error as Error).message]), attempt * 10) },
    );
    await clock.advance(1_000);
    await own;
    expect(at.slice(3)).toEqual([0, 10, 30]);
    expect(asked).toEqual([
      [1, 'busy 1'],
      [2, 'busy 2'],
    ]);
  });

  it('retry by default doubles from 100 ms up to 30 s, at most half of it taken off', async () => {
    for (const [random, expected] of [
      [0, [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]],
      [1, [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 15_000, 15_000]],
    ] as const) {
      vi.spyOn(Math, 'random').mockReturnValue(random);
      const { clock, source } = session();
      const at: number[] = [];
      const promise = retry(
        source.token,
        (_, attempt) => {
          at.push(clock.now());
          if (attempt < 12) throw new Error('busy');
        },
        { attempts: Infinity },
      );
      await clock.advance(1_000_000);
      await promise;
      expect(at.slice(1).map((ms, i) => ms - at[i]!)).toEqual(expected);
      vi.restoreAllMocks();
    }
  });

  it('retry asks retryIf about each failure', async () => {
    const { clock, source } = session();
    const asked: unknown[] = [];
    const stopped = errorOf(
      retry(source.token, succeedsAt(9), {
        attempts: 9,
        backoff: 0,
        retryIf: (error, attempt) => (asked.push([(error as Error).message, attempt]), attempt < 2),
      }),
    );
    await clock.advance(0);
    await clock.advance(0);
    expect(await stopped).toEqual(new Error('busy'));
    expect(asked).toEqual([
      ['busy', 1],
      ['busy', 2],
    ]);
  });

  it('S09 a cancel in the pause ends it at once', async () => {
    const { clock, source } = session();
    const work = succeedsAt(9);
    const stopped = errorOf(retry(source.token, work, { attempts: 9, backoff: 60_000 }));
    await clock.advance(100);
    source.cancel('user');
    expect(await stopped).toBe(source.signal.reason);
    expect(work).toHaveBeenCalledTimes(1);
    expect(clock.now()).toBe(100);
    expect(clock.pending).toBe(0);
  });

  it('S09 a cancel of an attempt is never retried, nor asked about', async () => {
    const { clock, source } = session();
    const retryIf = vi.fn(() => true);
    const work = vi.fn(({ token }: CancelContext) => delay(token, 60_000));
    const stopped = errorOf(retry(source.token, work, { backoff: 0, retryIf }));
    source.cancel('user');
    expect(await stopped).toBe(source.signal.reason);
    await clock.advance(1_000);
    expect(work).toHaveBeenCalledTimes(1);
    expect(retryIf).not.toHaveBeenCalled();
  });

  it('S09 an abort that was somebody else’s is not retried either', async () => {
    const { clock, source } = session();
    for (const abort of [new DOMException('gone', 'AbortError'), new CancelledError('user')]) {
      const work = succeedsAt(2, () => abort);
      const stopped = errorOf(retry(source.token, work, { backoff: 0 }));
      await clock.advance(0);
      expect(await stopped).toBe(abort);
      expect(work).toHaveBeenCalledTimes(1);
    }
  });

  it('a limit inside the work is retried', async () => {
    const { clock, source } = session();
    let calls = 0;
    const promise = retry(
      source.token,
      ({ token }) =>
        withCancellation(token, async (inner) => (++calls < 3 ? delay(inner.token, 60_000) : 'answer'), {
          timeoutMs: 10,
        }),
      { backoff: 5 },
    );
    await clock.advance(1_000);
    expect(await promise).toBe('answer');
    expect(calls).toBe(3);
    const stopped = errorOf(
      retry(
        source.token,
        ({ token }) => withCancellation(token, (inner) => delay(inner.token, 60_000), { timeoutMs: 10 }),
        { attempts: 2, backoff: 0 },
      ),
    );
    await clock.advance(1_000);
    expect(await stopped).toBeInstanceOf(DeadlineExceededError);
  });

  it('the deadline of the token is a cancellation and ends it', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock, timeoutMs: 25 });
    const work = vi.fn(({ token }: CancelContext) => delay(token, 60_000));
    const stopped = errorOf(retry(source.token, work, { backoff: 0 }));
    await clock.advance(1_000);
    expect(await stopped).toBe(source.signal.reason);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('a genuine failure that raced the cancel stays one, and is not retried', async () => {
    const { clock, source } = session();
    const failure = new Error('disk full');
    const work = vi.fn(async ({ token }: CancelContext) => {
      await token.whenCancelled();
      throw failure;
    });
    const stopped = errorOf(retry(source.token, work, { backoff: 0 }));
    source.cancel('user');
    expect(await stopped).toBe(failure);
    await clock.advance(1_000);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('retry under a cancelled token starts nothing', async () => {
    const work = vi.fn();
    const token = CancellationToken.alreadyCancelled('user');
    expect(await errorOf(retry(token, work))).toBe(token.signal.reason);
    expect(work).not.toHaveBeenCalled();
  });

  it('a back-off or retryIf that throws ends it with that error', async () => {
    const boom = new Error('no idea');
    const fail = (): never => {
      throw boom;
    };
    expect(await errorOf(retry(null, succeedsAt(2), { backoff: fail }))).toBe(boom);
    expect(await errorOf(retry(null, succeedsAt(2), { retryIf: fail }))).toBe(boom);
    const negative = await errorOf(retry(null, succeedsAt(2), { backoff: () => -1 }));
    expect(negative).toBeInstanceOf(RangeError);
    expect((negative as Error).message).toMatch(/^backoff\(\) must be .* got -1$/);
  });

  it.each([
    ['a promise, which would say yes to everything', async () => false],
    ['a text', () => 'no'],
    ['nothing', () => undefined],
  ])('retry refuses a retryIf that returns %s', async (_what, retryIf) => {
    const work = vi.fn(() => Promise.reject(new Error('busy')));
    const error = await errorOf(retry(null, work, { backoff: 0, retryIf: retryIf as never }));
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toMatch(/^retryIf\(\) must be a boolean, got /);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('retry leaves no listener on a native signal', async () => {
    const { signal } = new AbortController();
    await retry(signal, succeedsAt(3), { backoff: 0 });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('a deaf attempt is left behind after its grace, once stopped', async () => {
    const { clock, source } = session();
    const end = deferred();
    const stopped = errorOf(
      retry(source.token, function fetchPage() {
        return end.promise;
      }),
    );
    source.cancel('user');
    await clock.advance(1_000);
    expect(await stopped).toMatchObject({ name: 'AbortError', abandoned: { name: 'fetchPage' } });
    expect(clock.pending).toBe(0);
    end.reject(new Error('late'));
    await clock.advance(0);
  });

  const work = (): number => 7;
  it.each([
    ['token', 'session', work, {}, TypeError, /"session"/],
    ['work', null, 'fetch', {}, TypeError, /work.*"fetch"/],
    ['attempts', null, work, { attempts: 0 }, RangeError, /attempts.*0/],
    ['attempts', null, work, { attempts: -1 }, RangeError, /attempts.*-1/],
    ['attempts', null, work, { attempts: NaN }, RangeError, /attempts.*NaN/],
    ['attempts', null, work, { attempts: 2.5 }, RangeError, /attempts.*2\.5/],
    ['attempts', null, work, { attempts: '3' }, TypeError, /attempts.*"3"/],
    ['backoff', null, work, { backoff: -1 }, RangeError, /backoff.*-1/],
    ['backoff', null, work, { backoff: Infinity }, RangeError, /backoff.*Infinity/],
    ['backoff', null, work, { backoff: 'slow' }, TypeError, /backoff.*"slow"/],
    ['retryIf', null, work, { retryIf: true }, TypeError, /retryIf.*true/],
  ])('retry refuses bad input: %s', async (_, token, fn, options, type, text) => {
    const error = await errorOf(retry(token as never, fn as never, options as never));
    expect(error).toBeInstanceOf(type);
    expect((error as Error).message).toMatch(text);
  });
});
