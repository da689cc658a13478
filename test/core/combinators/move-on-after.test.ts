import { getEventListeners } from 'node:events';

import { describe, expect, it, vi } from 'vitest';

import { CancellationToken, CancellationTokenSource, CancelledError, delay, moveOnAfter } from '../../../src/index.ts';
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

const long = ({ token }: { token: CancellationToken }): Promise<void> => delay(token, 60_000);

describe('moveOnAfter', () => {
  it('moveOnAfter returns a value as completed', async () => {
    const { clock, source } = session();
    expect(await moveOnAfter(source.token, 10, () => 7)).toEqual({ status: 'completed', value: 7 });
    expect(await moveOnAfter(source.token, 10, async () => 7)).toEqual({ status: 'completed', value: 7 });
    expect(await moveOnAfter(null, Infinity, () => 7)).toEqual({ status: 'completed', value: 7 });
    expect(clock.pending).toBe(0);
  });

  it('moveOnAfter returns its own limit as cancelled', async () => {
    const { clock, source } = session();
    const outcome = moveOnAfter(source.token, 100, long);
    await clock.advance(100);
    expect(await outcome).toMatchObject({ status: 'cancelled', reason: { kind: 'deadline', at: 100 } });
    expect(source.isCancelled).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it('moveOnAfter returns deaf work as abandoned by its own limit, after the grace', async () => {
    const { clock, source } = session();
    const end = deferred();
    const outcome = moveOnAfter(source.token, 100, function search() {
      return end.promise;
    });
    await clock.advance(1_100);
    expect(await outcome).toMatchObject({ status: 'abandoned', name: 'search', reason: { kind: 'deadline' } });
    expect(clock.pending).toBe(0);
    end.reject(new Error('late'));
    await clock.advance(0);
  });

  it('moveOnAfter throws the parent’s cancel, unchanged', async () => {
    const { clock, source } = session();
    const stopped = errorOf(moveOnAfter(source.token, 100, long));
    await clock.advance(50);
    source.cancel('user');
    expect(await stopped).toBe(source.signal.reason);
    expect(clock.pending).toBe(0);
  });

  it('moveOnAfter throws the parent’s deadline as a cancellation, also at the same instant', async () => {
    for (const ms of [100, 200]) {
      const clock = new VirtualClock();
      const source = new CancellationTokenSource({ clock, timeoutMs: 100 });
      const stopped = errorOf(moveOnAfter(source.token, ms, long));
      await clock.advance(100);
      const error = await stopped;
      expect(error).toBeInstanceOf(CancelledError);
      expect((error as CancelledError).reason).toBe(source.reason);
    }
  });

  it('moveOnAfter throws an inner limit as what it is', async () => {
    const { clock, source } = session();
    const stopped = errorOf(
      moveOnAfter(source.token, 500, ({ token }) =>
        moveOnAfter(token, 100, long).then((outcome) => {
          expect(outcome.status).toBe('cancelled');
          throw new Error('after');
        }),
      ),
    );
    await clock.advance(100);
    expect(await stopped).toEqual(new Error('after'));
  });

  it('moveOnAfter throws the work’s own failure', async () => {
    const { source } = session();
    expect(
      await errorOf(
        moveOnAfter(source.token, 10, () => {
          throw new Error('disk full');
        }),
      ),
    ).toEqual(new Error('disk full'));
    expect(await errorOf(moveOnAfter(source.token, 10, () => Promise.reject(new Error('disk full'))))).toEqual(
      new Error('disk full'),
    );
  });

  it('moveOnAfter throws the work’s own failure also where its limit had passed', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    const failure = new Error('disk full');
    const thrown = moveOnAfter(source.token, 10, async ({ token }) => {
      await token.whenCancelled();
      throw failure;
    }).catch((error: unknown) => error);
    await clock.advance(10);
    expect(await thrown).toBe(failure);
  });

  it('a result of the tick of the limit is a result', async () => {
    const { clock, source } = session();
    const answer = deferred<number>();
    clock.setTimer(() => answer.resolve(7), 100, { ref: true });
    const outcome = moveOnAfter(source.token, 100, () => answer.promise);
    await clock.advance(100);
    expect(await outcome).toEqual({ status: 'completed', value: 7 });
  });

  it('moveOnAfter under a cancelled token starts nothing', async () => {
    const work = vi.fn();
    const token = CancellationToken.alreadyCancelled('user');
    expect(await errorOf(moveOnAfter(token, 10, work))).toBe(token.signal.reason);
    expect(work).not.toHaveBeenCalled();
  });

  it('moveOnAfter leaves no listener on a native signal', async () => {
    const { signal } = new AbortController();
    await moveOnAfter(signal, 10_000, async () => 7);
    await moveOnAfter(signal, 0, long);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  const work = (): number => 7;
  it.each([
    ['token', 'session', 10, work, TypeError, /"session"/],
    ['ms', null, '10', work, TypeError, /ms.*"10"/],
    ['ms', null, undefined, work, TypeError, /ms.*undefined/],
    ['ms', null, -1, work, RangeError, /ms.*-1/],
    ['ms', null, NaN, work, RangeError, /ms.*NaN/],
    ['work', null, 10, 'search', TypeError, /work.*"search"/],
  ])('moveOnAfter refuses bad input: %s', async (_, token, ms, fn, type, text) => {
    const error = await errorOf(moveOnAfter(token as never, ms as never, fn as never));
    expect(error).toBeInstanceOf(type);
    expect((error as Error).message).toMatch(text);
  });
});
