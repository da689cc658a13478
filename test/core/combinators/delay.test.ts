import { getEventListeners } from 'node:events';

import { describe, expect, it } from 'vitest';

import {
  CancellationToken,
  CancellationTokenSource,
  delay,
  raceCancellation,
  withCancellation,
} from '../../../src/index.ts';
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

describe('work of ours below a call that has ended', () => {
  async function leftBehind<T>(
    start: (token: CancellationToken) => T,
    when: 'inside' | 'after',
  ): Promise<{ source: CancellationTokenSource; left: T }> {
    const { source } = session();
    let left: T | undefined;
    let kept = CancellationToken.none;
    await withCancellation(source.token, ({ token }) => {
      kept = token;
      if (when === 'inside') left = start(token);
    });
    if (when === 'after') left = start(kept);
    return { source, left: left as T };
  }

  it.each(['inside', 'after'] as const)('a delay hears the stop all the same, started %s', async (when) => {
    const { source, left } = await leftBehind((token) => errorOf(delay(token, 60_000)), when);
    source.cancel('user');
    expect(await left).toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
  });

  it.each(['inside', 'after'] as const)('a race hears the stop all the same, started %s', async (when) => {
    const { source, left } = await leftBehind(
      (token) => errorOf(raceCancellation(token, new Promise(() => undefined))),
      when,
    );
    source.cancel('user');
    expect(await left).toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
  });

  it('a delay that has ended leaves nothing on the token', async () => {
    const { clock, source } = session();
    let waiting = Promise.resolve();
    await withCancellation(source.token, ({ token }) => {
      waiting = Promise.all([delay(token, 10), delay(token, 20), delay(token, 30)]).then(() => undefined);
    });
    await clock.advance(30);
    await waiting;
    expect([clock.pending, (source.token as { extra?: { watch: number } }).extra?.watch ?? 0]).toEqual([0, 0]);
  });

  it('several hear in the order of their start, and a listener of somebody else does not', async () => {
    const { source } = session();
    const heard: string[] = [];
    await withCancellation(source.token, ({ token, signal }) => {
      signal.addEventListener('abort', () => heard.push('foreign'));
      token.onCancelled(() => heard.push('listener'));
      for (const name of ['a', 'b', 'c']) void errorOf(delay(token, 60_000)).then(() => heard.push(name));
    });
    source.cancel('user');
    await Promise.resolve();
    await new Promise(setImmediate);
    expect(heard).toEqual(['a', 'b', 'c']);
  });
});

describe('delay', () => {
  it('delay waits as long as it says, on the clock of the token', async () => {
    const { clock, source } = session();
    let done = false;
    const waiting = delay(source.token, 100).then(() => (done = true));
    await clock.advance(99);
    expect(done).toBe(false);
    await clock.advance(1);
    expect(done).toBe(true);
    expect(await waiting).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it.each([2 ** 31 - 1, 2 ** 31, 2 ** 31 + 5, 90 * 86_400_000])('delay of %d ms is not cut short', async (ms) => {
    const { clock, source } = session();
    let done = false;
    const waiting = delay(source.token, ms).then(() => (done = true));
    await clock.advance(ms - 1);
    expect(done).toBe(false);
    await clock.advance(1);
    expect(await waiting).toBe(true);
  });

  it('S09 delay rejects when the token is cancelled, with its one error, and leaves nothing behind', async () => {
    const { clock, source } = session();
    const stopped = errorOf(delay(source.token, 60_000));
    expect(clock.pending).toBe(1);
    source.cancel('user');
    expect(clock.pending).toBe(0);
    expect(await stopped).toBe(source.signal.reason);
    expect(clock.now()).toBe(0);
  });

  it('delay under a cancelled token rejects without arming a timer', async () => {
    const { clock, source } = session();
    source.cancel('user');
    expect(await errorOf(delay(source.token, 60_000))).toBe(source.signal.reason);
    expect(clock.pending).toBe(0);
    const token = CancellationToken.alreadyCancelled('user');
    expect(await errorOf(delay(token, 60_000))).toBe(token.signal.reason);
  });

  it('delay that is over beats a cancel in the same tick', async () => {
    const { clock, source } = session();
    let seen: unknown;
    void delay(source.token, 10).then(
      () => (seen = 'over'),
      () => (seen = 'stopped'),
    );
    clock.advanceSync(10);
    source.cancel('user');
    await clock.advance(0);
    expect(seen).toBe('over');
  });

  it('delay ends with the deadline of the token, as a cancellation', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock, timeoutMs: 10 });
    const stopped = errorOf(delay(source.token, 60_000));
    await clock.advance(10);
    expect(await stopped).toMatchObject({ name: 'AbortError', reason: { kind: 'deadline' } });
    expect(clock.pending).toBe(0);
  });

  it('delay keeps the process alive while it waits', async () => {
    const refs: boolean[] = [];
    const clock = {
      now: () => 0,
      setTimer: (fn: () => void, _ms: number, { ref }: { ref: boolean }) => {
        refs.push(ref);
        queueMicrotask(fn);
        return { release: () => {} };
      },
    };
    await delay(new CancellationTokenSource({ clock }).token, 10);
    expect(refs).toEqual([true]);
  });

  it('delay takes nothing, or a native signal, whose listeners are back to zero afterwards', async () => {
    await delay(null, 0);
    await delay(undefined, 0);
    const controller = new AbortController();
    await delay(controller.signal, 0);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    const stopped = errorOf(delay(controller.signal, 60_000));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    controller.abort();
    expect(await stopped).toMatchObject({ name: 'AbortError' });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it.each([
    ['session', 1, TypeError, /"session"/],
    [null, '1s', TypeError, /"1s"/],
    [null, undefined, TypeError, /undefined/],
    [null, NaN, RangeError, /NaN/],
    [null, -1, RangeError, /-1/],
    [null, Infinity, RangeError, /Infinity/],
  ])('bad input (%j, %j) rejects and leaves nothing behind', async (token, ms, type, text) => {
    const error = await errorOf(delay(token as never, ms as never));
    expect(error).toBeInstanceOf(type);
    expect((error as Error).message).toMatch(text);
  });
});
