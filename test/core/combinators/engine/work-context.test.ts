import { describe, expect, it, vi } from 'vitest';

import {
  CancellationTokenSource,
  CancelledError,
  delay,
  runUntilCancelled,
  withCancellation,
  type CancelContext,
} from '../../../../src/index.ts';
import { tokenOf } from '../../../../src/core/token/bridge/linked-tokens.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import type { SettlePolicy } from '../../../../src/core/combinators/engine/work.ts';
import { hasSettled, tick } from '../../interrupt/kit.ts';

interface Session {
  readonly clock: VirtualClock;
  readonly source: CancellationTokenSource;
}

function session(): Session {
  const clock = new VirtualClock();
  return { clock, source: new CancellationTokenSource({ clock }) };
}

const deaf = (): Promise<never> => new Promise(() => {});

/** The error a promise rejects with; listens at once. */
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => Promise.reject(new Error('did not reject')),
    (error: unknown) => error,
  );

describe('the context', () => {
  it('the context can be taken apart: every function is bound', async () => {
    const { clock, source } = session();
    const promise = withCancellation(
      source.token,
      async ({ token, signal, graceToken, checkpoint, progress, commit }) => {
        checkpoint();
        progress();
        const value = await commit(() => 7);
        return [token.isCancelled, signal.aborted, graceToken.isCancelled, value];
      },
      { idleMs: 100 },
    );
    await clock.advance(0);
    expect(await promise).toEqual([false, false, false, 7]);
  });

  it('the context can be copied, and what is left of it too: a client may spread the options it is given', async () => {
    const { source } = session();
    const outcome = await runUntilCancelled(source.token, (context) => {
      expect(Object.keys(context).sort()).toEqual(
        ['checkpoint', 'commit', 'graceToken', 'progress', 'signal', 'token'].sort(),
      );
      const { token, ...rest } = { ...context, temperature: 0 };
      expect([token, rest.signal, rest.graceToken]).toEqual([context.token, context.signal, context.graceToken]);
      source.cancel('user');
      return rest.signal.aborted;
    });
    expect(outcome).toMatchObject({ status: 'completed', value: true });
  });

  it('the context makes no signal and no grace that nobody reads', async () => {
    const { token } = new CancellationTokenSource();
    await withCancellation(token, (context) => {
      expect(tokenOf(context.token).extra?.controller).toBeUndefined();
      expect(context.signal).toBe(context.token.signal);
      expect(tokenOf(context.token).extra?.controller?.signal).toBe(context.signal);
    });
  });

  it('the context hands out the same objects each time', async () => {
    await withCancellation(null, (context) => {
      for (const key of ['token', 'signal', 'graceToken', 'checkpoint', 'progress', 'commit'] as const) {
        expect(context[key], key).toBe(context[key]);
      }
    });
  });
});

describe('checkpoint', () => {
  it('checkpoint throws the token’s error once cancelled, and nothing before', async () => {
    const { source } = session();
    const seen: unknown[] = [];
    const promise = withCancellation(source.token, ({ checkpoint }) => {
      checkpoint();
      source.cancel('user');
      try {
        checkpoint();
      } catch (error) {
        seen.push(error);
        throw error;
      }
    });
    await expect(promise).rejects.toBe(source.signal.reason);
    expect(seen).toEqual([source.signal.reason]);
  });

  it('checkpoint compares the clock with the limit: a synchronous loop ends without a timer', async () => {
    const { clock, source } = session();
    let rounds = 0;
    const now = vi.spyOn(clock, 'now').mockImplementation(() => rounds);
    const promise = withCancellation(
      source.token,
      ({ checkpoint }) => {
        for (; rounds < 1_000; rounds += 1) checkpoint();
      },
      { timeoutMs: 40 },
    );
    await expect(promise).rejects.toMatchObject({ name: 'TimeoutError', limitMs: 40 });
    expect(rounds).toBe(40);
    now.mockRestore();
    expect(clock.pending).toBe(0);
  });

  it('checkpoint does not claim the limit of an outer scope', async () => {
    let now = 0;
    const clock = { now: () => now, setTimer: () => ({ release: () => {} }) };
    const source = new CancellationTokenSource({ clock, timeoutMs: 10 });
    const promise = withCancellation(
      source.token,
      ({ checkpoint }) => {
        for (; ; now += 1) checkpoint();
      },
      { timeoutMs: 40 },
    );
    const error: unknown = await promise.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CancelledError);
    expect(error).toMatchObject({ reason: { kind: 'deadline' } });
    expect(now).toBe(10);
    source.release();
  });
});

describe('graceToken', () => {
  it('graceToken outlives the cancel and is cancelled when the grace is over', async () => {
    const { clock, source } = session();
    let context: CancelContext | undefined;
    const outcome = runUntilCancelled(
      source.token,
      (given) => {
        context = given;
        void given.graceToken;
        return deaf();
      },
      { graceMs: 100 },
    );
    source.cancel('user');
    expect(context?.token.isCancelled).toBe(true);
    expect(context?.graceToken.isCancelled).toBe(false);
    await clock.advance(99);
    expect(context?.graceToken.isCancelled).toBe(false);
    await clock.advance(1);
    expect(context?.graceToken.isCancelled).toBe(true);
    expect(await outcome).toMatchObject({ status: 'abandoned' });
  });

  it('graceToken is live as well when it is first read after the cancel, with what is left of the grace', async () => {
    const { clock, source } = session();
    let context: CancelContext | undefined;
    const outcome = runUntilCancelled(
      source.token,
      (given) => {
        context = given;
        return deaf();
      },
      { graceMs: 100 },
    );
    source.cancel('user');
    await clock.advance(60);
    const grace = context!.graceToken;
    expect(grace.isCancelled).toBe(false);
    expect(grace.remainingMs()).toBe(40);
    await clock.advance(40);
    expect(grace.isCancelled).toBe(true);
    await outcome;
  });

  it('graceToken can be listened to, and its signal aborts', async () => {
    const { clock, source } = session();
    let grace: AbortSignal | undefined;
    const outcome = runUntilCancelled(
      source.token,
      ({ graceToken }) => {
        grace = graceToken.signal;
        return deaf();
      },
      { graceMs: 100 },
    );
    source.cancel('user');
    await clock.advance(50);
    expect(grace?.aborted).toBe(false);
    await clock.advance(50);
    expect(grace?.aborted).toBe(true);
    await outcome;
  });

  it('graceToken is cut by kill', async () => {
    const { clock, source } = session();
    let grace: AbortSignal | undefined;
    const outcome = runUntilCancelled(
      source.token,
      ({ graceToken }) => {
        grace = graceToken.signal;
        return deaf();
      },
      { graceMs: 100 },
    );
    source.cancel('user');
    await clock.advance(10);
    source.kill();
    expect(grace?.aborted).toBe(true);
    await clock.advance(0);
    await outcome;
    expect(clock.now()).toBe(10);
  });

  it('graceToken lets clean-up use what the cancelled signal would refuse', async () => {
    const { clock, source } = session();
    const log: string[] = [];
    const stopped = errorOf(
      withCancellation(source.token, async ({ token, graceToken }) => {
        try {
          await token.whenCancelled();
          token.throwIfCancelled();
        } finally {
          await withCancellation(graceToken, async () => log.push('unlocked'));
        }
      }),
    );
    source.cancel('user');
    await clock.advance(0);
    expect(await stopped).toBe(source.signal.reason);
    expect(log).toEqual(['unlocked']);
    expect(clock.pending).toBe(0);
  });

  it('graceToken of work that was left behind is cancelled, also when first read afterwards', async () => {
    const { source } = session();
    let context: CancelContext | undefined;
    const outcome = runUntilCancelled(source.token, (given) => ((context = given), deaf()), { settle: 'abandon' });
    source.cancel('user');
    await outcome;
    expect(context?.graceToken.isCancelled).toBe(true);
  });

  it('graceToken is not cancelled by the end of the work', async () => {
    const { clock, source } = session();
    const outcome = await withCancellation(source.token, ({ graceToken }) => ({ graceToken }));
    source.cancel('user');
    await clock.advance(10_000);
    expect(outcome.graceToken.isCancelled).toBe(false);
  });
});

describe('commit', () => {
  it('commit refuses to start once cancelled', async () => {
    const { source } = session();
    const effect = vi.fn();
    const stopped = errorOf(
      withCancellation(source.token, async ({ commit }) => {
        source.cancel('user');
        await commit(effect);
      }),
    );
    expect(await stopped).toBe(source.signal.reason);
    expect(effect).not.toHaveBeenCalled();
  });

  it('commit refuses to start once its limit has passed, also where no timer could say so', async () => {
    const { clock, source } = session();
    const effect = vi.fn();
    const now = vi.spyOn(clock, 'now');
    const stopped = errorOf(
      withCancellation(
        source.token,
        ({ commit }) => {
          now.mockReturnValue(41); // a long loop that never yields
          return commit(effect);
        },
        { timeoutMs: 40 },
      ),
    );
    expect(await stopped).toMatchObject({ name: 'TimeoutError', limitMs: 40 });
    expect(effect).not.toHaveBeenCalled();
    now.mockRestore();
  });

  it.each(['abandon', 'try', 'wait'] as const)(
    'S11 commit once inside runs to its end, beyond the grace, and is reported as completed (%s)',
    async (settle) => {
      const { clock, source } = session();
      const written = deferred<string>();
      const promise = withCancellation(source.token, ({ commit }) => commit(() => written.promise), {
        settle,
        graceMs: 50,
      });
      await clock.advance(0);
      source.cancel('user');
      await clock.advance(10_000);
      written.resolve('saved');
      await clock.advance(0);
      expect(await promise).toBe('saved');
      expect(clock.pending).toBe(0);
    },
  );

  it('S11 commit is not cut by kill either', async () => {
    const { clock, source } = session();
    const written = deferred<string>();
    const outcome = runUntilCancelled(source.token, ({ commit }) => commit(() => written.promise));
    await clock.advance(0);
    source.kill();
    await clock.advance(10);
    written.resolve('saved');
    await clock.advance(10);
    expect(await outcome).toEqual({ status: 'completed', value: 'saved' });
  });

  it('commit that does not end holds a kill for one grace more, and is then left behind', async () => {
    const { clock, source } = session();
    const outcome = runUntilCancelled(source.token, ({ commit }) => commit(deaf), { graceMs: 50 });
    await clock.advance(0);
    source.cancel('user');
    await clock.advance(1_000);
    source.kill();
    await clock.advance(49);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await outcome).toMatchObject({ status: 'abandoned' });
    expect(clock.pending).toBe(0);
  });

  it.each<[SettlePolicy, 'cancel' | 'kill']>([
    ['wait', 'kill'],
    ['wait', 'cancel'],
    ['abandon', 'kill'],
    ['abandon', 'cancel'],
  ])(
    'commit with endless limits is waited for until a kill, and then for a second: %s, %s first',
    async (settle, first) => {
      const { clock, source } = session();
      const endless = { settle, graceMs: Infinity };
      const outcome = runUntilCancelled(source.token, ({ commit }) => commit(deaf, { limitMs: Infinity }), endless);
      await clock.advance(0);
      if (first === 'cancel') {
        source.cancel('user');
        await clock.advance(10_000_000);
      }
      source.kill();
      await clock.advance(999);
      expect(await hasSettled(outcome)).toBe(false);
      await clock.advance(1);
      expect(await outcome).toMatchObject({ status: 'abandoned' });
      expect(clock.pending).toBe(0);
    },
  );

  it('commit that is killed is waited for by what stands above it, however short the grace of that is', async () => {
    const { clock, source } = session();
    const written = deferred<string>();
    const above = runUntilCancelled(
      source.token,
      ({ token }) => withCancellation(token, ({ commit }) => commit(() => written.promise), { graceMs: 400 }),
      { settle: 'wait' },
    );
    await clock.advance(0);
    source.kill();
    await clock.advance(399);
    written.resolve('saved');
    await clock.advance(0);
    expect(await above).toMatchObject({ status: 'completed', value: 'saved' });
  });

  it('S11 its value is in error.completed when the work stops at the next checkpoint', async () => {
    const { clock, source } = session();
    const written = deferred<string>();
    const stopped = errorOf(
      withCancellation(source.token, async ({ commit, checkpoint }) => {
        await commit(() => written.promise);
        checkpoint();
      }),
    );
    await clock.advance(0);
    source.cancel('user');
    written.resolve('saved');
    const error = await stopped;
    expect(error).toBeInstanceOf(CancelledError);
    expect(error).toMatchObject({ completed: { value: 'saved' } });
    expect((error as CancelledError).reason).toBe(source.reason);
  });

  it.each(['timeoutMs', 'idleMs'] as const)(
    'S11 its value is not lost either when %s of the call passes',
    async (limit) => {
      const { clock, source } = session();
      const works = [
        async ({ commit, token }: CancelContext): Promise<unknown> => {
          await commit(() => 'saved');
          return Promise.reject(await token.whenCancelled().then(() => token.signal.reason as Error));
        },
        async ({ commit }: CancelContext): Promise<unknown> => {
          await commit(() => 'saved');
          return deaf();
        },
      ];
      const errors = works.map((work) => errorOf(withCancellation(source.token, work, { [limit]: 40, graceMs: 5 })));
      await clock.advance(50);
      for (const error of await Promise.all(errors)) {
        expect(error).toMatchObject({ name: 'TimeoutError', limitMs: 40, completed: { value: 'saved' } });
      }
    },
  );

  it('S11 its value is not lost when a later commit fails', async () => {
    const { source } = session();
    const outcome = runUntilCancelled(source.token, async ({ commit, checkpoint }) => {
      await commit(() => 'saved');
      await commit(() => Promise.reject(new Error('disk full'))).catch(() => {});
      source.cancel('user');
      checkpoint();
    });
    expect(await outcome).toMatchObject({ status: 'cancelled', completed: { value: 'saved' } });
  });

  it('S11 its value is not lost when what follows it is left behind', async () => {
    const { clock, source } = session();
    const work = async ({ commit }: CancelContext): Promise<never> => {
      await commit(() => 'saved');
      return deaf();
    };
    const asData = runUntilCancelled(source.token, work, { graceMs: 10 });
    const asError = errorOf(withCancellation(source.token, work, { graceMs: 10 }));
    await clock.advance(0);
    source.cancel('user');
    await clock.advance(10);
    expect(await asData).toMatchObject({ status: 'abandoned', completed: { value: 'saved' } });
    expect(await asError).toMatchObject({ abandoned: { name: 'work' }, completed: { value: 'saved' } });
  });

  it('commit leaves work behind that stays deaf after an overdue commit', async () => {
    const { clock, source } = session();
    const written = deferred<string>();
    const outcome = runUntilCancelled(
      source.token,
      async ({ commit }) => {
        await commit(() => written.promise);
        return deaf();
      },
      { graceMs: 10 },
    );
    await clock.advance(0);
    source.cancel('user');
    await clock.advance(500);
    written.resolve('saved');
    await clock.advance(0);
    expect(await outcome).toMatchObject({ status: 'abandoned' });
    expect(clock.pending).toBe(0);
  });

  it('commit waits for the last of several', async () => {
    const { clock, source } = session();
    const first = deferred();
    const second = deferred();
    const promise = withCancellation(
      source.token,
      async ({ commit }) => {
        await Promise.all([commit(() => first.promise), commit(() => second.promise)]);
        return 'both';
      },
      { graceMs: 10 },
    );
    await clock.advance(0);
    source.cancel('user');
    await clock.advance(100);
    first.resolve();
    await clock.advance(100);
    second.resolve();
    await clock.advance(0);
    expect(await promise).toBe('both');
  });

  it.each(['abandon', 'try', 'wait'] as const)(
    'S11 commit is waited for, and counts, when what runs beside it is cut (%s)',
    async (settle) => {
      const { clock, source } = session();
      const written = deferred<string>();
      const work = ({ commit, token }: CancelContext): Promise<unknown> =>
        Promise.all([commit(() => written.promise), delay(token, 60_000)]);
      const asData = runUntilCancelled(source.token, work, { settle, graceMs: 10 });
      const asError = errorOf(withCancellation(source.token, work, { settle, graceMs: 10 }));
      await clock.advance(0);
      source.cancel('user');
      await clock.advance(500);
      expect(await Promise.all([hasSettled(asData), hasSettled(asError)])).toEqual([false, false]);
      written.resolve('saved');
      await clock.advance(0);
      expect(await asData).toMatchObject({ status: 'cancelled', completed: { value: 'saved' } });
      expect(await asError).toMatchObject({ name: 'AbortError', completed: { value: 'saved' } });
      expect(clock.pending).toBe(0);
    },
  );

  it.each([
    ['returned', (): unknown => 'fine', { status: 'completed', value: 'fine' }],
    ['returned later', (): unknown => tick().then(() => 'fine'), { status: 'completed', value: 'fine' }],
    [
      'failed',
      (): unknown => {
        throw new Error('lost');
      },
      { status: 'failed', error: new Error('lost') },
    ],
    ['failed later', (): unknown => Promise.reject(new Error('lost')), { status: 'failed', error: new Error('lost') }],
  ] as const)('commit that nobody awaits is waited for when the work has %s', async (_how, end, outcome) => {
    const { clock, source } = session();
    const written = deferred<string>();
    const ended = runUntilCancelled(source.token, ({ commit }) => {
      void commit(() => written.promise);
      return end();
    });
    expect(await hasSettled(ended)).toBe(false);
    written.resolve('saved');
    expect(await ended).toEqual(outcome);
    expect(clock.pending).toBe(0);
  });

  it('commit that is left behind after the work itself has ended is heard of when it ends', async () => {
    const { clock, source } = session();
    const written = deferred<string>();
    const late: unknown[] = [];
    const outcome = runUntilCancelled(
      source.token,
      ({ commit, token }) => Promise.all([commit(() => written.promise, { limitMs: 100 }), delay(token, 60_000)]),
      { graceMs: 10, onLateSettle: (each) => late.push(each) },
    );
    await clock.advance(0);
    source.cancel('user');
    await clock.advance(99);
    expect(await hasSettled(outcome)).toBe(false);
    await clock.advance(1);
    expect(await outcome).toMatchObject({ status: 'abandoned' });
    expect(late).toEqual([]);
    written.resolve('saved');
    await tick();
    expect(late).toMatchObject([{ status: 'cancelled', completed: { value: 'saved' } }]);
    expect(clock.pending).toBe(0);
  });

  it('commit that fails is a failure, and sets nothing aside', async () => {
    const { clock, source } = session();
    const outcome = runUntilCancelled(source.token, ({ commit }) =>
      commit(() => {
        throw new Error('disk full');
      }),
    );
    await clock.advance(0);
    expect(await outcome).toEqual({ status: 'failed', error: new Error('disk full') });
  });

  it('commit refuses what is not a function, by name', async () => {
    await expect(withCancellation(null, ({ commit }) => commit(7 as never))).rejects.toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringContaining('7') }),
    );
  });
});
