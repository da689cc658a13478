import { getEventListeners } from 'node:events';

import { describe, expect, it, vi } from 'vitest';

import {
  CancellationTokenSource,
  CancelledError,
  runUntilCancelled,
  withCancellation,
  type CancelContext,
  type LateOutcome,
  type WithCancellationOptions,
} from '../../../../src/index.ts';
import { deferred, type Deferred } from '../../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

/** What has become of a promise so far. */
function watch<T>(promise: Promise<T>): { settled: boolean; value?: T; error?: unknown } {
  const state: { settled: boolean; value?: T; error?: unknown } = { settled: false };
  promise.then(
    (value) => Object.assign(state, { settled: true, value }),
    (error: unknown) => Object.assign(state, { settled: true, error }),
  );
  return state;
}

interface Run {
  readonly clock: VirtualClock;
  readonly source: CancellationTokenSource;
  readonly end: Deferred<number>;
  readonly late: LateOutcome<number>[];
  readonly context: CancelContext;
  readonly state: { settled: boolean; value?: number; error?: unknown };
}

/** Work that ends when the test ends it, and never before. */
function start(options: WithCancellationOptions<number> = {}): Run {
  const clock = new VirtualClock();
  const source = new CancellationTokenSource({ clock });
  const end = deferred<number>();
  const late: LateOutcome<number>[] = [];
  let context: CancelContext | undefined;
  const promise = withCancellation(
    source.token,
    function search(given) {
      context = given;
      return end.promise;
    },
    { onLateSettle: (outcome) => late.push(outcome), ...options },
  );
  if (context === undefined) throw new Error('the work was not started');
  return { clock, source, end, late, context, state: watch(promise) };
}

const abandoned = { name: 'AbortError', abandoned: { name: 'search' } };

describe('settle', () => {
  it('the policy wait is the default, with a grace of 1,000 ms', async () => {
    const { clock, source, state } = start();
    source.cancel('user');
    await clock.advance(999);
    expect(state.settled).toBe(false);
    await clock.advance(1);
    expect(state.error).toMatchObject({ ...abandoned, reason: { kind: 'user' } });
    expect(clock.pending).toBe(0);
  });

  it('the policy wait costs time only with deaf work: it ends when the work does', async () => {
    const { clock, source, end, state } = start();
    source.cancel('user');
    await clock.advance(10);
    end.reject(source.signal.reason);
    await clock.advance(0);
    expect(state.error).toBe(source.signal.reason);
    expect((state.error as CancelledError).abandoned).toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  it('the policy wait returns a value that came during the grace', async () => {
    const { clock, source, end, state } = start();
    source.cancel('user');
    await clock.advance(10);
    end.resolve(7);
    await clock.advance(0);
    expect(state).toEqual({ settled: true, value: 7 });
  });

  it('the policy wait waits as long as graceMs says', async () => {
    const { clock, source, state } = start({ graceMs: 50 });
    source.cancel('user');
    await clock.advance(49);
    expect(state.settled).toBe(false);
    await clock.advance(1);
    expect(state.error).toMatchObject(abandoned);
  });

  it('the policy wait with an endless grace waits for ever, until kill', async () => {
    const { clock, source, state } = start({ graceMs: Infinity });
    source.cancel('user');
    await clock.advance(10_000_000);
    expect(state.settled).toBe(false);
    expect(clock.pending).toBe(0);
    source.kill();
    await clock.advance(0);
    expect(state.error).toMatchObject(abandoned);
  });

  it('the policy wait with a grace of 0 gives one turn of the event loop', async () => {
    const { clock, source, end, state } = start({ graceMs: 0 });
    source.cancel('user');
    end.resolve(7);
    await clock.advance(0);
    expect(state.value).toBe(7);
  });

  it('the policy try waits one macrotask', async () => {
    const deaf = start({ settle: 'try' });
    deaf.source.cancel('user');
    await Promise.resolve();
    expect(deaf.state.settled).toBe(false);
    await deaf.clock.advance(0);
    expect(deaf.state.error).toMatchObject(abandoned);

    const quick = start({ settle: 'try' });
    quick.source.cancel('user');
    await Promise.resolve();
    quick.end.resolve(7);
    await quick.clock.advance(0);
    expect(quick.state.value).toBe(7);
  });

  it('the policy abandon does not wait at all', async () => {
    const { clock, source, end, state } = start({ settle: 'abandon' });
    source.cancel('user');
    for (let microtask = 0; microtask < 4; microtask += 1) await Promise.resolve();
    expect(state.error).toMatchObject(abandoned);
    expect(clock.pending).toBe(0);
    end.resolve(7);
  });

  it('the limit counts as a cancel: grace begins with it', async () => {
    const { clock, state } = start({ timeoutMs: 100, graceMs: 50 });
    await clock.advance(149);
    expect(state.settled).toBe(false);
    await clock.advance(1);
    expect(state.error).toMatchObject({ name: 'TimeoutError', limitMs: 100, abandoned: { name: 'search' } });
    expect(clock.pending).toBe(0);
  });
});

describe('what was left behind', () => {
  it('what was left behind by the work itself is named by the call around it', async () => {
    const { clock, source } = start();
    const nested = () =>
      withCancellation(
        source.token,
        function inner() {
          return deferred().promise;
        },
        { graceMs: 10 },
      );
    const asData = runUntilCancelled(source.token, nested, { graceMs: 100 });
    const asError = withCancellation(source.token, nested, { graceMs: 100 }).catch((error: unknown) => error);
    source.cancel('user');
    await clock.advance(10);
    expect(await asData).toMatchObject({ status: 'cancelled', reason: source.reason, abandoned: { name: 'inner' } });
    expect(await asError).toMatchObject({ name: 'AbortError', abandoned: { name: 'inner' } });
  });

  it('what was left behind is named, by its option, its function or as work', async () => {
    const nameOf = async (work: () => Promise<never>, name?: string): Promise<unknown> => {
      const source = new CancellationTokenSource();
      const outcome = runUntilCancelled(source.token, work, { settle: 'abandon', name });
      source.cancel();
      return await outcome;
    };
    const deaf = (): Promise<never> => new Promise(() => {});
    expect(await nameOf(deaf, 'search the web')).toMatchObject({ status: 'abandoned', name: 'search the web' });
    expect(await nameOf(deaf)).toMatchObject({ name: 'deaf' });
    expect(await nameOf((() => deaf)())).toMatchObject({ name: 'deaf' });
    expect(await nameOf([deaf].map((work) => () => work())[0]!)).toMatchObject({ name: 'work' });
  });

  it.each([
    ['its value', (end: Deferred<number>) => end.resolve(7), { status: 'completed', value: 7 }],
    [
      'its failure',
      (end: Deferred<number>) => end.reject(new Error('late')),
      { status: 'failed', error: new Error('late') },
    ],
  ])('what was left behind tells onLateSettle %s, once', async (_, settle, outcome) => {
    const { clock, source, end, late, state } = start({ graceMs: 10 });
    source.cancel('user');
    await clock.advance(10);
    expect(state.error).toMatchObject(abandoned);
    expect(late).toEqual([]);
    settle(end);
    await clock.advance(0);
    expect(late).toEqual([outcome]);
  });

  it('what was left behind that ends with the stop after all is late and cancelled', async () => {
    const { clock, source, end, late } = start({ graceMs: 10 });
    source.cancel('user');
    await clock.advance(10);
    end.reject(source.signal.reason);
    await clock.advance(0);
    expect(late).toEqual([{ status: 'cancelled', reason: source.reason }]);
  });

  it('what was left behind resolves outcome.late, which never rejects', async () => {
    const source = new CancellationTokenSource();
    const end = deferred<number>();
    const promise = runUntilCancelled(source.token, () => end.promise, { settle: 'abandon' });
    source.cancel('user');
    const outcome = await promise;
    expect(outcome).toMatchObject({ status: 'abandoned', reason: source.reason });
    if (outcome.status !== 'abandoned') throw new Error('unreachable');
    end.reject(new Error('late'));
    expect(await outcome.late).toEqual({ status: 'failed', error: new Error('late') });
  });

  it('S35 what was left behind never becomes an unhandled rejection', async () => {
    for (const settle of ['abandon', 'try', 'wait'] as const) {
      const { clock, source, end, state } = start({ settle, graceMs: 5, onLateSettle: undefined });
      source.cancel('user');
      await clock.advance(5);
      expect(state.error).toMatchObject(abandoned);
      end.reject(new Error('late'));
      await clock.advance(0);
    }
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
    const end = deferred<number>();
    const promise = watch(withCancellation(source.token, () => end.promise, { settle: 'abandon', onLateSettle }));
    source.cancel('user');
    await new VirtualClock().advance(0);
    expect(promise.settled).toBe(true);
    end.resolve(7);
    await new VirtualClock().advance(0);
    expect(reported).toEqual([new Error('callback')]);
  });

  it('what was left behind is still reached by kill, and by nothing once it has ended', async () => {
    const { clock, source, end, context } = start({ graceMs: 10 });
    let kills = 0;
    context.token.onKilled(() => (kills += 1));
    source.cancel('user');
    await clock.advance(10);
    source.kill();
    expect(kills).toBe(1);
    expect(clock.pending).toBe(0); // nobody waits for it any more
    end.resolve(7);

    const other = start({ graceMs: 10 });
    other.context.token.onKilled(() => (kills += 1));
    other.source.cancel('user');
    other.end.resolve(7);
    await other.clock.advance(0);
    other.source.kill();
    expect(kills).toBe(1);
  });

  it('what was left behind leaves no listener on a native signal', async () => {
    const controller = new AbortController();
    const end = deferred();
    const outcome = runUntilCancelled(controller.signal, ({ signal }) => (signal.aborted, end.promise), {
      settle: 'abandon',
    });
    controller.abort();
    expect(await outcome).toMatchObject({ status: 'abandoned' });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    end.resolve();
  });
});

describe('the wait for work that was told to stop', () => {
  it.each(['wait', 'try'] as const)(
    'the wait for work that was told to stop keeps the process alive: nobody else may be there to answer (%s)',
    async (settle) => {
      const clock = new VirtualClock();
      const setTimer = vi.spyOn(clock, 'setTimer');
      const source = new CancellationTokenSource({ clock });
      const outcome = runUntilCancelled(source.token, () => deferred().promise, { settle, graceMs: 50 });
      source.cancel('user');
      expect(setTimer.mock.calls.map(([, ms, options]) => [ms, options])).toEqual([
        [settle === 'try' ? 0 : 50, { ref: true }],
      ]);
      await clock.advance(50);
      expect(await outcome).toMatchObject({ status: 'abandoned' });
    },
  );
});

describe('kill', () => {
  it('kill cuts the grace', async () => {
    const { clock, source, state } = start({ graceMs: 5_000 });
    source.cancel('user');
    await clock.advance(100);
    expect(state.settled).toBe(false);
    source.kill();
    await clock.advance(0);
    expect(clock.now()).toBe(100);
    expect(state.error).toMatchObject({ ...abandoned, reason: source.reason });
    expect(clock.pending).toBe(0);
  });

  it('kill without a cancel before it is a cancel and leaves deaf work behind', async () => {
    const { clock, source, state } = start({ graceMs: 5_000 });
    source.kill({ kind: 'shutdown' });
    await clock.advance(0);
    expect(state.error).toMatchObject({ ...abandoned, reason: { kind: 'shutdown' } });
    expect(clock.pending).toBe(0);
  });

  it('kill armed by cancel({ graceMs }) of the source comes before a longer grace of the call', async () => {
    const { clock, source, state } = start({ graceMs: 5_000 });
    source.cancel('user', { graceMs: 30 });
    await clock.advance(29);
    expect(state.settled).toBe(false);
    await clock.advance(1);
    expect(state.error).toMatchObject(abandoned);
    expect(clock.pending).toBe(0);
  });
});

describe('exactly one settlement', () => {
  it('work that throws what cannot be read has failed, also after the stop, and at once', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    const seen = watch(
      withCancellation(source.token, async () => {
        source.cancel('user');
        throw proxy;
      }),
    );
    await clock.advance(0);
    expect([seen.settled, seen.error === proxy]).toEqual([true, true]);
    expect(clock.pending).toBe(0);
  });

  it('a late end, a second cancel and a kill change nothing', async () => {
    const { clock, source, end, late, state } = start({ graceMs: 5 });
    source.cancel('user');
    await clock.advance(5);
    const first = state.error;
    source.cancel('shutdown');
    source.kill();
    end.reject(new Error('late'));
    await clock.advance(100);
    expect(state.error).toBe(first);
    expect(late).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('a thenable that calls back twice counts once', async () => {
    const both = {
      then: (resolve: (value: number) => void, reject: (error: unknown) => void) => (resolve(1), reject(2), resolve(3)),
    };
    expect(await runUntilCancelled(null, () => both as unknown as PromiseLike<number>)).toEqual({
      status: 'completed',
      value: 1,
    });
  });
});

describe('completed', () => {
  it('work that ends as cancelled with a finished value in its error keeps it', async () => {
    const source = new CancellationTokenSource();
    const work = async ({ token }: CancelContext): Promise<never> => {
      const reason = await token.whenCancelled();
      throw new CancelledError(reason, { completed: { value: 'half a file' } });
    };
    const asData = runUntilCancelled(source.token, work);
    const asError = watch(withCancellation(source.token, work));
    source.cancel('user');
    expect(await asData).toEqual({ status: 'cancelled', reason: source.reason, completed: { value: 'half a file' } });
    await new VirtualClock().advance(0);
    expect(asError.error).toMatchObject({ name: 'AbortError', completed: { value: 'half a file' } });
    expect((asError.error as CancelledError).reason).toBe(source.reason);
  });
});
