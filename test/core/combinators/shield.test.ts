import { getEventListeners } from 'node:events';

import { describe, expect, it, vi } from 'vitest';

import {
  CancellationToken,
  CancellationTokenSource,
  DeadlineExceededError,
  delay,
  shield,
  withCancellation,
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

const deaf = (): Promise<never> => new Promise(() => {});

describe('shield', () => {
  it.each([0, 100])(
    'shield keeps the process alive until its grace is over, from the stop on; stopped after %i ms',
    async (ms) => {
      const { clock, source } = session();
      const setTimer = vi.spyOn(clock, 'setTimer');
      const waiting = errorOf(shield(source.token, deaf, { graceMs: 50 }));
      await clock.advance(ms);
      expect(setTimer.mock.calls.filter(([, , { ref }]) => ref)).toEqual([]);
      source.cancel('user');
      expect(setTimer.mock.calls.filter(([, , { ref }]) => ref).map(([, length]) => length)).toEqual([50]);
      await clock.advance(50);
      expect(await waiting).toBeInstanceOf(DeadlineExceededError);
      expect(clock.pending).toBe(0);
    },
  );

  it('shield returns the work’s value, and its failure unchanged', async () => {
    const { clock, source } = session();
    expect(await shield(source.token, () => 7, { graceMs: 10 })).toBe(7);
    expect(await shield(source.token, async () => 7, { graceMs: 10 })).toBe(7);
    const failure = new Error('disk full');
    expect(await errorOf(shield(source.token, () => Promise.reject(failure), { graceMs: 10 }))).toBe(failure);
    expect(
      await errorOf(
        shield(
          source.token,
          () => {
            throw failure;
          },
          { graceMs: 10 },
        ),
      ),
    ).toBe(failure);
    expect(clock.pending).toBe(0);
  });

  it('shield keeps the parent’s cancel out: the work ends, its value is returned', async () => {
    const { clock, source } = session();
    const written = deferred<string>();
    let token: CancellationToken | undefined;
    const promise = shield(source.token, (graceToken) => ((token = graceToken), written.promise), { graceMs: 100 });
    source.cancel('user');
    await clock.advance(99);
    expect(token?.isCancelled).toBe(false);
    expect(token?.signal.aborted).toBe(false);
    written.resolve('saved');
    await clock.advance(0);
    expect(await promise).toBe('saved');
    expect(clock.pending).toBe(0);
  });

  it('shield starts under a token that is cancelled already', async () => {
    const token = CancellationToken.alreadyCancelled('user');
    expect(await shield(token, ({ isCancelled }) => (isCancelled ? 'cut' : 'flushed'), { graceMs: 10 })).toBe(
      'flushed',
    );
    expect(await shield(AbortSignal.abort(), async (t) => (await delay(t, 0), 'flushed'), { graceMs: 1_000 })).toBe(
      'flushed',
    );
    const source = new CancellationTokenSource();
    const below = source.token.child().token;
    source.cancel('user');
    expect(await shield(below, (t) => withCancellation(t, () => 'flushed'), { graceMs: 10 })).toBe('flushed');
  });

  it('shield counts the grace from the parent’s cancel', async () => {
    const { clock, source } = session();
    let token: CancellationToken | undefined;
    const stopped = errorOf(shield(source.token, (graceToken) => ((token = graceToken), deaf()), { graceMs: 100 }));
    await clock.advance(5_000);
    expect(token?.isCancelled).toBe(false);
    source.cancel('user');
    await clock.advance(99);
    expect(token?.isCancelled).toBe(false);
    await clock.advance(1);
    expect(token?.isCancelled).toBe(true);
    await clock.advance(0);
    const error = await stopped;
    expect(error).toBeInstanceOf(DeadlineExceededError);
    expect(error).toMatchObject({ limitMs: 100, reason: { kind: 'deadline', at: 5_100 } });
    expect(clock.pending).toBe(0);
  });

  it('shield counts the grace from entry, if that is later', async () => {
    const { clock, source } = session();
    source.cancel('user');
    await clock.advance(5_000);
    let token: CancellationToken | undefined;
    const stopped = errorOf(shield(source.token, (graceToken) => ((token = graceToken), deaf()), { graceMs: 100 }));
    expect(token?.isCancelled).toBe(false);
    expect(token?.remainingMs()).toBe(100);
    await clock.advance(99);
    expect(token?.isCancelled).toBe(false);
    await clock.advance(1);
    expect(token?.isCancelled).toBe(true);
    expect(await stopped).toMatchObject({ name: 'TimeoutError', limitMs: 100 });
  });

  it('work that obeys its grace token is reported as the grace that ended, not as the parent’s cancel', async () => {
    const { clock, source } = session();
    const stopped = errorOf(shield(source.token, (graceToken) => delay(graceToken, 60_000), { graceMs: 100 }));
    source.cancel('user');
    await clock.advance(100);
    const error = await stopped;
    expect(error).toBeInstanceOf(DeadlineExceededError);
    expect((error as DeadlineExceededError).abandoned).toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  it('work that is deaf to its grace token is named, and its late failure is heard by nobody', async () => {
    const { clock, source } = session();
    const end = deferred();
    const stopped = errorOf(
      shield(
        source.token,
        function flush() {
          return end.promise;
        },
        { graceMs: 100 },
      ),
    );
    source.cancel('user');
    await clock.advance(100);
    expect(await stopped).toMatchObject({ name: 'TimeoutError', abandoned: { name: 'flush' } });
    end.reject(new Error('late'));
    await clock.advance(0);
  });

  it('a result beats the end of the grace', async () => {
    const { clock, source } = session();
    const written = deferred<string>();
    const promise = shield(source.token, () => written.promise, { graceMs: 100 });
    source.cancel('user');
    clock.setTimer(() => written.resolve('saved'), 100, { ref: true });
    await clock.advance(100);
    expect(await promise).toBe('saved');
  });

  it('shield is pierced by kill', async () => {
    const { clock, source } = session();
    let signal: AbortSignal | undefined;
    const stopped = errorOf(
      shield(
        source.token,
        function flush(t) {
          return ((signal = t.signal), deaf());
        },
        { graceMs: 5_000 },
      ),
    );
    source.cancel('user');
    await clock.advance(10);
    expect(signal?.aborted).toBe(false);
    source.kill();
    expect(signal?.aborted).toBe(true);
    await clock.advance(0);
    // It is still running, so it is named.
    expect(await stopped).toMatchObject({ name: 'AbortError', reason: source.reason, abandoned: { name: 'flush' } });
    expect(clock.now()).toBe(10);
    expect(clock.pending).toBe(0);
  });

  it('shield under a killed token starts nothing', async () => {
    const { source } = session();
    source.kill('user');
    const work = vi.fn();
    expect(await errorOf(shield(source.token, work, { graceMs: 100 }))).toBe(source.signal.reason);
    expect(work).not.toHaveBeenCalled();
  });

  it('shield never reports work as killed and starts it afterwards', async () => {
    const { source } = session();
    source.kill('user');
    const order: string[] = [];
    const work = vi.fn(async () => {
      order.push('start');
      await Promise.resolve();
      order.push('end');
    });
    await shield(source.token, work, { graceMs: 100 }).then(
      () => order.push('settled'),
      () => order.push('settled'),
    );
    expect(order.at(-1)).toBe('settled');
    expect([['settled'], ['start', 'end', 'settled']]).toContainEqual(order);
  });

  it('shield is not bounded while nobody cancels, and arms nothing', async () => {
    const { clock, source } = session();
    const end = deferred<number>();
    const promise = shield(source.token, () => end.promise, { graceMs: 100 });
    await clock.advance(1_000_000);
    expect(clock.pending).toBe(0);
    end.resolve(7);
    expect(await promise).toBe(7);
  });

  it('shield with an endless grace is cut only by kill', async () => {
    const { clock, source } = session();
    const stopped = errorOf(shield(source.token, deaf, { graceMs: Infinity }));
    source.cancel('user');
    await clock.advance(10_000_000);
    expect(clock.pending).toBe(0);
    source.kill();
    await clock.advance(0);
    expect(await stopped).toMatchObject({ name: 'AbortError' });
  });

  it('shield in a shield: the shorter grace counts', async () => {
    const { clock, source } = session();
    const stopped = errorOf(
      shield(source.token, (outer) => shield(outer, (inner) => delay(inner, 60_000), { graceMs: 10 }), {
        graceMs: 100,
      }),
    );
    source.cancel('user');
    await clock.advance(100);
    await clock.advance(10);
    expect(await stopped).toBeInstanceOf(DeadlineExceededError);
    expect(clock.pending).toBe(0);
  });

  it('shield leaves no listener on a native signal', async () => {
    const controller = new AbortController();
    await shield(controller.signal, () => 7, { graceMs: 10 });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    const end = deferred();
    const promise = shield(controller.signal, () => end.promise, { graceMs: 60_000 });
    controller.abort();
    end.resolve();
    await promise;
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  const work = (): number => 7;
  it.each([
    ['token', 'session', work, { graceMs: 1 }, TypeError, /"session"/],
    ['work', null, 'flush', { graceMs: 1 }, TypeError, /work.*"flush"/],
    ['graceMs missing', null, work, {}, TypeError, /graceMs.*undefined/],
    ['options missing', null, work, undefined, TypeError, /graceMs.*undefined/],
    ['graceMs', null, work, { graceMs: '1s' }, TypeError, /graceMs.*"1s"/],
    ['graceMs', null, work, { graceMs: -1 }, RangeError, /graceMs.*-1/],
    ['graceMs', null, work, { graceMs: NaN }, RangeError, /graceMs.*NaN/],
  ])('shield refuses bad input: %s', async (_, token, fn, options, type, text) => {
    const error = await errorOf(shield(token as never, fn as never, options as never));
    expect(error).toBeInstanceOf(type);
    expect((error as Error).message).toMatch(text);
  });
});
