import { getEventListeners } from 'node:events';

import { describe, expect, it, vi } from 'vitest';

import { CancellationToken, CancellationTokenSource, DeadlineExceededError, pollUntil } from '../../../src/index.ts';
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

describe('pollUntil', () => {
  it('pollUntil asks at once, then every 100 ms, and returns the first truthy answer', async () => {
    const { clock, source } = session();
    const asked: number[] = [];
    const promise = pollUntil(source.token, () => {
      asked.push(clock.now());
      return asked.length === 4 && 'ready';
    });
    await clock.advance(1_000);
    expect(await promise).toBe('ready');
    expect(asked).toEqual([0, 100, 200, 300]);
    expect(clock.pending).toBe(0);
  });

  it('pollUntil asks at the interval it is given, counted from one answer to the next question', async () => {
    const { clock, source } = session();
    const asked: number[] = [];
    const promise = pollUntil(
      source.token,
      async () => {
        asked.push(clock.now());
        await new Promise<void>((resolve) => clock.setTimer(resolve, 30, { ref: true }));
        return asked.length === 3;
      },
      { intervalMs: 10 },
    );
    await clock.advance(1_000);
    await promise;
    expect(asked).toEqual([0, 40, 80]);
  });

  it.each([false, null, undefined, 0, ''])('an answer of %j means "not yet"', async (notYet) => {
    const answers: unknown[] = [notYet, notYet, 'yes'];
    expect(await pollUntil(null, () => answers.shift(), { intervalMs: 0 })).toBe('yes');
  });

  it('a failing probe ends the poll, unchanged', async () => {
    const { clock, source } = session();
    const failure = new Error('disk full');
    expect(
      await errorOf(
        pollUntil(source.token, () => {
          throw failure;
        }),
      ),
    ).toBe(failure);
    expect(await errorOf(pollUntil(source.token, () => Promise.reject(failure)))).toBe(failure);
    expect(clock.pending).toBe(0);
  });

  it('S09 a cancel ends the pause at once', async () => {
    const { clock, source } = session();
    const probe = vi.fn(() => false);
    const stopped = errorOf(pollUntil(source.token, probe, { intervalMs: 60_000 }));
    await clock.advance(0);
    expect(clock.pending).toBe(1);
    source.cancel('user');
    expect(await stopped).toBe(source.signal.reason);
    expect(probe).toHaveBeenCalledTimes(1);
    expect(clock.pending).toBe(0);
    expect(clock.now()).toBe(0);
  });

  it('a probe that hangs is not waited for, and its late answer bothers nobody', async () => {
    const { clock, source } = session();
    const answer = deferred<boolean>();
    let given: CancellationToken | undefined;
    const stopped = errorOf(pollUntil(source.token, (token) => ((given = token), answer.promise)));
    await clock.advance(500);
    source.cancel('user');
    expect(await stopped).toBe(source.signal.reason);
    expect(given?.isCancelled).toBe(true);
    expect(clock.now()).toBe(500);
    answer.reject(new Error('late'));
    await clock.advance(0);
  });

  it('a truthy answer beats a cancel of the same tick', async () => {
    const { clock, source } = session();
    const answer = deferred<string>();
    const promise = pollUntil(source.token, () => answer.promise);
    await clock.advance(0);
    answer.resolve('ready');
    source.cancel('user');
    expect(await promise).toBe('ready');
  });

  it('pollUntil under a cancelled token asks nothing', async () => {
    const probe = vi.fn(() => true);
    const token = CancellationToken.alreadyCancelled('user');
    expect(await errorOf(pollUntil(token, probe))).toBe(token.signal.reason);
    expect(probe).not.toHaveBeenCalled();
  });

  it('pollUntil asks nothing more after a cancel that came just as the pause was over', async () => {
    const { clock, source } = session();
    const probe = vi.fn(() => false);
    const stopped = errorOf(pollUntil(source.token, probe));
    await clock.advance(0);
    clock.advanceSync(100);
    source.cancel('user');
    expect(await stopped).toBe(source.signal.reason);
    expect(probe).toHaveBeenCalledTimes(1);
  });

  it('pollUntil asks nothing more once the probe’s own work cancelled it', async () => {
    const { source } = session();
    const probe = vi.fn(() => (source.cancel('user'), false));
    expect(await errorOf(pollUntil(source.token, probe))).toBe(source.signal.reason);
    expect(probe).toHaveBeenCalledTimes(1);
  });

  it('its own limit is DeadlineExceededError, in a pause and in a probe that hangs', async () => {
    for (const probe of [() => false, () => new Promise<never>(() => {})]) {
      const { clock, source } = session();
      const stopped = errorOf(pollUntil(source.token, probe, { timeoutMs: 250 }));
      await clock.advance(250);
      const error = await stopped;
      expect(error).toBeInstanceOf(DeadlineExceededError);
      expect(error).toMatchObject({ limitMs: 250, reason: { kind: 'deadline', at: 250 } });
      expect(clock.pending).toBe(0);
    }
  });

  it('a limit of the token is a cancellation', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock, timeoutMs: 50 });
    const stopped = errorOf(pollUntil(source.token, () => false, { timeoutMs: 250 }));
    await clock.advance(50);
    expect(await stopped).toBe(source.signal.reason);
  });

  it('pollUntil leaves no listener on a native signal', async () => {
    const controller = new AbortController();
    let asked = 0;
    await pollUntil(controller.signal, () => ++asked === 3, { intervalMs: 0 });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    const stopped = errorOf(pollUntil(controller.signal, () => false, { intervalMs: 60_000 }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    controller.abort();
    await stopped;
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  const ready = (): boolean => true;
  it.each([
    ['token', 'session', ready, {}, TypeError, /"session"/],
    ['probe', null, 'ready', {}, TypeError, /probe.*"ready"/],
    ['intervalMs', null, ready, { intervalMs: -1 }, RangeError, /intervalMs.*-1/],
    ['intervalMs', null, ready, { intervalMs: NaN }, RangeError, /intervalMs.*NaN/],
    ['intervalMs', null, ready, { intervalMs: Infinity }, RangeError, /intervalMs.*Infinity/],
    ['intervalMs', null, ready, { intervalMs: '5' }, TypeError, /intervalMs.*"5"/],
    ['timeoutMs', null, ready, { timeoutMs: -1 }, RangeError, /timeoutMs.*-1/],
    ['timeoutMs', null, ready, { timeoutMs: '5' }, TypeError, /timeoutMs.*"5"/],
  ])('pollUntil refuses bad input: %s', async (_, token, probe, options, type, text) => {
    const error = await errorOf(pollUntil(token as never, probe as never, options as never));
    expect(error).toBeInstanceOf(type);
    expect((error as Error).message).toMatch(text);
  });
});
