import { getEventListeners } from 'node:events';

import { describe, expect, it, vi } from 'vitest';

import {
  CancellationToken,
  CancellationTokenSource,
  CancelledError,
  DeadlineExceededError,
  delay,
  scope,
  type ScopeContext,
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

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const deaf = (): Promise<never> => new Promise(() => {});
const long = ({ token }: { token: CancellationToken }): Promise<void> => delay(token, 60_000);

/** Whether a promise has settled after a few turns of the event loop. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  for (let i = 0; i < 3; i += 1) await turn();
  return settled;
}

describe('the end', () => {
  it('the end of a scope returns what the body returned', async () => {
    expect(await scope(null, () => 7)).toBe(7);
    expect(await scope(null, async ({ fork }) => (await fork(() => 3)) + (await fork(async () => 4)))).toBe(7);
  });

  it('the end of a scope comes only when every fork has ended, awaited or not', async () => {
    const end = deferred();
    const promise = scope(null, (s) => {
      void s.fork(() => end.promise);
      return 'body';
    });
    expect(await hasSettled(promise)).toBe(false);
    end.resolve();
    expect(await promise).toBe('body');
  });

  it('the end of a scope comes only when every fork of a fork has ended', async () => {
    const end = deferred();
    const promise = scope(null, (s) => {
      void s.fork(() => void s.fork(() => end.promise));
    });
    expect(await hasSettled(promise)).toBe(false);
    end.resolve();
    await promise;
  });

  it.each([0, 1])(
    'the end of a scope comes only when a fork has ended that was started %d hops after the last one',
    async (hops) => {
      const first = deferred();
      const second = deferred();
      const log: string[] = [];
      const promise = scope(null, (s) => {
        s.defer(() => void log.push('clean-up'));
        let over = s.fork(() => first.promise);
        for (let hop = 0; hop < hops; hop += 1) over = over.then(() => {});
        void over.then(() =>
          s.fork(async () => {
            await second.promise;
            log.push('second');
          }),
        );
      });
      first.resolve();
      expect(await hasSettled(promise)).toBe(false);
      second.resolve();
      await promise;
      expect(log).toEqual(['second', 'clean-up']);
    },
  );

  it('the end of a scope is not held up by a fork that was refused', async () => {
    for (const bad of [
      (s: ScopeContext) => s.fork('work' as never),
      (s: ScopeContext) => s.fork(() => 1, { name: 7 as never }),
    ]) {
      const refused: unknown[] = [];
      const reported: unknown[] = [];
      const { token } = new CancellationTokenSource({ onCallbackError: (error) => reported.push(error) });
      const promise = scope(token, (s) => {
        void bad(s).catch((error: unknown) => refused.push(error));
        return 'body';
      });
      expect(await hasSettled(promise)).toBe(true);
      expect(refused).toEqual([expect.any(TypeError)]);
      expect(reported).toEqual(refused);
      await promise.catch(() => {});
    }
  });

  it('the end of a scope comes after the grace for a deaf fork, which is named', async () => {
    const { clock, source } = session();
    const suppressed: unknown[] = [];
    const promise = errorOf(
      scope(
        source.token,
        async (s) => {
          void s.fork(deaf, { name: 'deaf one' });
          await long(s);
        },
        { graceMs: 50, onSuppressed: (error) => suppressed.push(error) },
      ),
    );
    await clock.advance(0);
    source.cancel('user');
    await clock.advance(50);
    expect(await promise).toMatchObject({ name: 'AbortError', reason: source.reason });
    expect(suppressed).toEqual([expect.objectContaining({ abandoned: { name: 'deaf one' } })]);
    expect(clock.pending).toBe(0);
  });

  it('the end of a scope refuses forks and clean-ups from then on', async () => {
    const log: string[] = [];
    const { token } = new CancellationTokenSource({ onCallbackError: (error) => log.push(String(error)) });
    const s = await scope(token, (given) => ({ given }));
    expect(await errorOf(s.given.fork(() => log.push('late')))).toBeInstanceOf(TypeError);
    expect(() => s.given.defer(() => log.push('late'))).toThrow(TypeError);
    expect(log).toEqual(['TypeError: the scope has ended: nothing more can be started in it']);
  });

  it('the end of a scope has come when the clean-ups run: they start nothing and register nothing', async () => {
    const log: string[] = [];
    const refused: unknown[] = [];
    const reported: unknown[] = [];
    const { token } = new CancellationTokenSource({ onCallbackError: (error) => reported.push(error) });
    await scope(token, (s) => {
      s.defer(async () => {
        refused.push(await errorOf(s.fork(() => log.push('late'))));
        try {
          s.defer(() => log.push('late'));
        } catch (error) {
          refused.push(error);
        }
      });
    });
    expect(refused).toEqual([expect.any(TypeError), expect.any(TypeError)]);
    expect([reported, log]).toEqual([[refused[0]], []]);
  });

  it('the end of a scope releases the token: a later cancel of the parent does not reach it', async () => {
    const { source } = session();
    const signal = await scope(source.token, (s) => s.signal);
    source.cancel('user');
    expect(signal.aborted).toBe(false);
  });
});

describe('failure', () => {
  it('the first root cause is thrown unchanged; the rest is told to stop, as siblings', async () => {
    const failure = new Error('disk full');
    const reasons: unknown[] = [];
    const error = await errorOf(
      scope(null, async ({ fork, token }) => {
        token.onCancelled((reason) => reasons.push(reason));
        void fork(async () => {
          await turn();
          throw failure;
        });
        await fork(long);
      }),
    );
    expect(error).toBe(failure);
    expect(reasons).toEqual([expect.objectContaining({ kind: 'sibling', cause: failure })]);
  });

  it('a failure of the body is one as well, and stops the forks', async () => {
    const failure = new Error('disk full');
    let stopped = false;
    const error = await errorOf(
      scope(null, ({ fork }) => {
        void fork(async (context) => {
          await context.token.whenCancelled();
          stopped = true;
        });
        throw failure;
      }),
    );
    expect(error).toBe(failure);
    expect(stopped).toBe(true);
  });

  it('a failure that comes out again through the body is reported once', async () => {
    const failure = new Error('disk full');
    const suppressed: unknown[] = [];
    const error = await errorOf(
      scope(null, async ({ fork }) => fork(() => Promise.reject(failure)), { onSuppressed: (e) => suppressed.push(e) }),
    );
    expect(error).toBe(failure);
    expect(suppressed).toEqual([]);
  });

  it('a failure after the first goes to onSuppressed, in order; ordinary stops do not', async () => {
    const suppressed: unknown[] = [];
    const error = await errorOf(
      scope(
        null,
        async ({ fork, token }) => {
          void fork(long);
          void fork(async () => {
            await token.whenCancelled();
            throw new Error('second');
          });
          void fork(async () => {
            await token.whenCancelled();
            await turn();
            throw new Error('third');
          });
          throw new Error('first');
        },
        { onSuppressed: (e) => suppressed.push(e) },
      ),
    );
    expect(error).toEqual(new Error('first'));
    expect(suppressed).toEqual([new Error('second'), new Error('third')]);
  });

  it('a failure that is not the first is told once, although it comes out again through the body', async () => {
    const suppressed: unknown[] = [];
    const error = await errorOf(
      scope(
        null,
        async ({ fork, token }) => {
          void fork(async () => {
            await turn();
            throw new Error('first');
          });
          await fork(async () => {
            await token.whenCancelled();
            throw new Error('second');
          });
        },
        { onSuppressed: (e) => suppressed.push(e) },
      ),
    );
    expect(error).toEqual(new Error('first'));
    expect(suppressed).toEqual([new Error('second')]);
  });

  it('a failure stops later forks from starting', async () => {
    const late = vi.fn();
    await errorOf(
      scope(null, ({ fork }) => {
        void fork(() => {
          throw new Error('disk full');
        });
        void fork(late);
      }),
    );
    expect(late).not.toHaveBeenCalled();
  });

  it('S35 a failure of a fork that nobody awaits is no unhandled rejection', async () => {
    expect(await errorOf(scope(null, ({ fork }) => void fork(() => Promise.reject(new Error('disk full')))))).toEqual(
      new Error('disk full'),
    );
    await turn();
  });

  it('S35 a failure of a fork that was left behind is no unhandled rejection', async () => {
    const { clock, source } = session();
    const end = deferred();
    const stopped = errorOf(scope(source.token, ({ fork }) => void fork(() => end.promise), { graceMs: 5 }));
    source.cancel('user');
    await clock.advance(5);
    expect(await stopped).toMatchObject({ name: 'AbortError' });
    end.reject(new Error('late'));
    await clock.advance(0);
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
  ])('S35 an onSuppressed that %s is reported like any other callback', async (_, onSuppressed) => {
    const reported: unknown[] = [];
    const source = new CancellationTokenSource({ onCallbackError: (error) => reported.push(error) });
    const error = await errorOf(
      scope(
        source.token,
        ({ fork, token }) => {
          void fork(async () => {
            await token.whenCancelled();
            throw new Error('second');
          });
          throw new Error('first');
        },
        { onSuppressed },
      ),
    );
    expect(error).toEqual(new Error('first'));
    await turn();
    expect(reported).toEqual([new Error('callback')]);
  });
});

describe('a stop', () => {
  it('a stop from above is thrown unchanged, and reaches body and forks with the same reason', async () => {
    const { source } = session();
    const reasons: unknown[] = [];
    const stopped = errorOf(
      scope(source.token, async (s) => {
        void s.fork(({ token }) => token.whenCancelled().then((reason) => reasons.push(reason)));
        reasons.push(await s.token.whenCancelled());
        s.token.throwIfCancelled();
      }),
    );
    source.cancel('user');
    const error = await stopped;
    expect(error).toBeInstanceOf(CancelledError);
    expect((error as CancelledError).reason).toBe(source.reason);
    expect(reasons).toEqual([source.reason, source.reason]);
  });

  it('a stop before the start: the body is not called', async () => {
    const body = vi.fn();
    const token = CancellationToken.alreadyCancelled('user');
    expect(await errorOf(scope(token, body))).toBe(token.signal.reason);
    expect(body).not.toHaveBeenCalled();
  });

  it('a stop that found everything finished is too late', async () => {
    const { source } = session();
    const answer = deferred<number>();
    const promise = scope(source.token, () => answer.promise);
    answer.resolve(7);
    source.cancel('user');
    expect(await promise).toBe(7);
  });

  it('a stop by its own limit is DeadlineExceededError outside and a cancellation inside', async () => {
    const { clock, source } = session();
    const inside: unknown[] = [];
    const stopped = errorOf(
      scope(
        source.token,
        async (s) => {
          const note = (error: unknown): void => void inside.push(error);
          void s
            .fork(({ token }) =>
              delay(token, 60_000).catch((error: unknown) => (note(error), Promise.reject(error as Error))),
            )
            .catch(note);
          await long(s);
        },
        { timeoutMs: 100 },
      ),
    );
    await clock.advance(100);
    const error = await stopped;
    expect(error).toBeInstanceOf(DeadlineExceededError);
    expect(error).toMatchObject({ limitMs: 100, reason: { kind: 'deadline' } });
    expect(inside).toEqual([expect.any(CancelledError), expect.any(CancelledError)]);
    expect(clock.pending).toBe(0);
  });

  it('a stop by the limit of the parent stays a cancellation', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock, timeoutMs: 50 });
    const stopped = errorOf(scope(source.token, long, { timeoutMs: 100 }));
    await clock.advance(50);
    expect(await stopped).toBeInstanceOf(CancelledError);
    expect(clock.pending).toBe(0);
  });

  it('a stop by s.cancel() ends the forks without an error', async () => {
    const { clock, source } = session();
    const promise = scope(source.token, async (s) => {
      void s.fork(long);
      await turn();
      s.cancel('user');
      return 'winner';
    });
    await clock.advance(0);
    await clock.advance(0);
    expect(await promise).toBe('winner');
    expect(source.isCancelled).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it('a stop by s.cancel() is the same however often it is said', async () => {
    const promise = scope(null, async (s) => {
      void s.fork(long);
      await turn();
      s.cancel('user');
      s.cancel('budget');
      return 'winner';
    });
    expect(await promise).toBe('winner');
  });

  it('a stop from above is not made quiet by an s.cancel() that comes after it', async () => {
    const { source } = session();
    const stopped = errorOf(
      scope(source.token, async (s) => {
        void s.fork(long);
        await turn();
        source.cancel('user');
        s.cancel();
        return 'winner';
      }),
    );
    expect(await stopped).toBe(source.signal.reason);
  });
});

describe('defer', () => {
  it('defer runs last in first out, one after the other, when everything has ended', async () => {
    const log: string[] = [];
    await scope(null, (s) => {
      for (const name of ['a', 'b', 'c']) {
        s.defer(async () => {
          log.push(`${name} start`);
          await turn();
          log.push(`${name} end`);
        });
      }
      void s.fork(async () => {
        await turn();
        log.push('fork end');
      });
      log.push('body end');
    });
    expect(log).toEqual(['body end', 'fork end', 'c start', 'c end', 'b start', 'b end', 'a start', 'a end']);
  });

  it.each(['cancel', 'failure', 'kill'] as const)('defer runs in that order after a %s as well', async (how) => {
    const source = new CancellationTokenSource();
    const log: string[] = [];
    const stopped = errorOf(
      scope(source.token, async (s) => {
        for (const name of ['a', 'b']) {
          s.defer(async () => {
            log.push(`${name} start`);
            await turn();
            log.push(`${name} end`);
          });
        }
        if (how === 'failure') throw new Error('disk full');
        if (how === 'cancel') source.cancel('user');
        else source.kill('user');
        s.token.throwIfCancelled();
      }),
    );
    await stopped;
    // A kill ends clean-up as well, so that nobody waits for it; it is begun in order all the same.
    if (how === 'kill') expect(log.filter((line) => line.endsWith('start'))).toEqual(['b start', 'a start']);
    else expect(log).toEqual(['b start', 'b end', 'a start', 'a end']);
    await turn();
  });

  it('defer gets a token that is live after a stop, for the grace', async () => {
    const { clock, source } = session();
    const seen: [boolean, number][] = [];
    let grace: CancellationToken | undefined;
    const stopped = errorOf(
      scope(
        source.token,
        async (s) => {
          s.defer((graceToken) => {
            grace = graceToken;
            seen.push([graceToken.isCancelled, graceToken.remainingMs()]);
            return deaf();
          });
          await long(s);
        },
        { graceMs: 80 },
      ),
    );
    source.cancel('user');
    await clock.advance(79);
    expect(seen).toEqual([[false, 80]]);
    expect(grace?.isCancelled).toBe(false);
    await clock.advance(1);
    expect(grace?.isCancelled).toBe(true);
    await clock.advance(0);
    expect(await stopped).toBeDefined();
    expect(clock.pending).toBe(0);
  });

  it('a deaf clean-up after a stop is named in the error of that stop, and suppressed', async () => {
    const { clock, source } = session();
    const suppressed: unknown[] = [];
    const stopped = errorOf(
      scope(
        source.token,
        async (s) => {
          s.defer(async function closeFile() {
            await deaf();
          });
          await long(s);
        },
        { graceMs: 80, onSuppressed: (error) => suppressed.push(error) },
      ),
    );
    source.cancel('user');
    await clock.advance(80);
    await clock.advance(0);
    const error = (await stopped) as CancelledError;
    expect(error).toBeInstanceOf(CancelledError);
    expect([error.reason, error.abandoned]).toEqual([source.reason, { name: 'closeFile' }]);
    expect(suppressed).toMatchObject([{ name: 'TimeoutError', limitMs: 80, abandoned: { name: 'closeFile' } }]);
  });

  it('one that obeys the end of its grace is not named: nothing was left behind', async () => {
    const { clock, source } = session();
    const suppressed: unknown[] = [];
    const stopped = errorOf(
      scope(
        source.token,
        async (s) => {
          s.defer((graceToken) => delay(graceToken, 10_000));
          await long(s);
        },
        { graceMs: 80, onSuppressed: (error) => suppressed.push(error) },
      ),
    );
    source.cancel('user');
    await clock.advance(80);
    await clock.advance(0);
    expect(await stopped).toBe(source.signal.reason);
    expect(suppressed).toMatchObject([{ name: 'TimeoutError', abandoned: undefined }]);
  });

  it('a clean-up that outlives its grace in a scope that nobody stopped from above gives the error itself', async () => {
    const { clock, source } = session();
    const ended = errorOf(
      scope(
        source.token,
        (s) => {
          s.defer(() => deaf());
          s.cancel('superseded');
          return 7;
        },
        { graceMs: 80 },
      ),
    );
    await clock.advance(80);
    await clock.advance(0);
    expect(await ended).toMatchObject({ name: 'TimeoutError', limitMs: 80 });
  });

  it('a fork that is left behind is named as well, if the body obeyed', async () => {
    const { clock, source } = session();
    const stopped = errorOf(
      scope(
        source.token,
        async (s) => {
          void s.fork(() => deaf(), { name: 'upload' });
          await long(s);
        },
        { graceMs: 80 },
      ),
    );
    source.cancel('user');
    await clock.advance(80);
    await clock.advance(0);
    expect(await stopped).toMatchObject({ name: 'AbortError', reason: source.reason, abandoned: { name: 'upload' } });
  });

  it('a clean-up that fails does not stop the others; it is the cause if nothing else was', async () => {
    const log: string[] = [];
    const error = await errorOf(
      scope(null, (s) => {
        s.defer(() => void log.push('a'));
        s.defer(() => {
          throw new Error('cannot close');
        });
      }),
    );
    expect(error).toEqual(new Error('cannot close'));
    expect(log).toEqual(['a']);
  });

  it('a clean-up that fails after a failure is suppressed', async () => {
    const suppressed: unknown[] = [];
    const error = await errorOf(
      scope(
        null,
        (s) => {
          s.defer(() => {
            throw new Error('cannot close');
          });
          throw new Error('disk full');
        },
        { onSuppressed: (e) => suppressed.push(e) },
      ),
    );
    expect(error).toEqual(new Error('disk full'));
    expect(suppressed).toEqual([new Error('cannot close')]);
  });
});

describe('the context', () => {
  it('the context can be taken apart', async () => {
    const value = await scope(null, async ({ token, signal, fork, defer, cancel }) => {
      defer(() => {});
      const given = await fork(() => [token.isCancelled, signal.aborted]);
      cancel();
      return given;
    });
    expect(value).toEqual([false, false]);
  });

  it('names the scope and takes its clock', async () => {
    const { clock } = session();
    const seen = await scope(null, (s) => [s.token.name, s.token.remainingMs()], {
      name: 'batch',
      clock,
      timeoutMs: 50,
    });
    expect(seen).toEqual(['batch', 50]);
    expect(clock.pending).toBe(0);
  });
});

describe('listeners on a native signal', () => {
  it('listeners on a native signal are one while it runs and none afterwards', async () => {
    const controller = new AbortController();
    const end = deferred();
    const promise = scope(controller.signal, (s) => {
      for (let i = 0; i < 50; i += 1) void s.fork(() => end.promise);
    });
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    end.resolve();
    await promise;
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    await errorOf(
      scope(controller.signal, () => {
        throw new Error('disk full');
      }),
    );
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

describe('bad input', () => {
  const body = (): number => 7;
  it.each([
    ['token', 'session', body, {}, TypeError, /"session"/],
    ['body', null, 'work', {}, TypeError, /body.*"work"/],
    ['timeoutMs', null, body, { timeoutMs: -1 }, RangeError, /timeoutMs.*-1/],
    ['timeoutMs', null, body, { timeoutMs: '5' }, TypeError, /timeoutMs.*"5"/],
    ['graceMs', null, body, { graceMs: -1 }, RangeError, /graceMs.*-1/],
    ['graceMs', null, body, { graceMs: '5' }, TypeError, /graceMs.*"5"/],
    ['name', null, body, { name: 7 }, TypeError, /name.*7/],
    ['clock', null, body, { clock: {} }, TypeError, /clock/],
    ['onSuppressed', null, body, { onSuppressed: 'log' }, TypeError, /onSuppressed.*"log"/],
  ])('bad input is refused: %s', async (_, token, fn, options, type, text) => {
    const error = await errorOf(scope(token as never, fn as never, options as never));
    expect(error).toBeInstanceOf(type);
    expect((error as Error).message).toMatch(text);
  });

  it('bad input leaves no timer behind', async () => {
    const clock = new VirtualClock();
    await errorOf(scope(null, body, { clock, timeoutMs: 100, graceMs: -1 }));
    expect(clock.pending).toBe(0);
  });

  it('bad input of defer is refused at the call', async () => {
    await scope(null, (s) => {
      expect(() => s.defer('close' as never)).toThrow(/"close"/);
    });
  });
});

describe('what outlives the scope', () => {
  it('a body that it returned is still in reach of a stop', async () => {
    const session = new CancellationTokenSource();
    let signal: AbortSignal | undefined;
    const body = await scope(session.token, (s) => {
      signal = s.signal;
      return new ReadableStream();
    });
    expect(body).toBeInstanceOf(ReadableStream);
    session.cancel('user');
    expect(signal?.aborted).toBe(true);
  });
});
