import { spawn as bare } from 'abort-controller-x';
import { describe, expect, it, vi } from 'vitest';

import { spawn, type SpawnContext } from '../../../src/adapters/compose/index.ts';
import type { SpawnTask } from '../../../src/adapters/compose/spawn.ts';
import { isCancelledError } from '../../../src/core/foundation/errors.ts';
import {
  CancellationToken,
  CancellationTokenSource,
  CancelledError,
  delay,
  type CancelContext,
} from '../../../src/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { deaf, errorOf, listeners, obedient, stateOf, turn } from './observe.ts';

/** Collects why each work was told to stop. */
function reasons() {
  const seen: unknown[] = [];
  const work = (context: CancelContext): Promise<never> => {
    context.token.onCancelled((reason) => seen.push(reason));
    return obedient(context);
  };
  return { seen, work };
}

describe('the body', () => {
  it('returns its value when its forks, told why, have ended', async () => {
    const { seen, work } = reasons();
    const cleaned = deferred();
    const result = spawn(null, async ({ fork }) => {
      fork(work);
      fork(async ({ token }) => {
        await token.whenCancelled();
        await cleaned.promise;
      });
      return 7;
    });
    expect(await stateOf(result)).toBe('pending');
    expect(seen).toMatchObject([{ kind: 'superseded', message: 'The body has ended' }]);
    cleaned.resolve();
    expect(await result).toBe(7);
  });

  it('may be synchronous, and gets a token and its signal', async () => {
    const source = new CancellationTokenSource();
    expect(await spawn(source.token, ({ token, signal }) => [token.canBeCancelled, signal === token.signal])).toEqual([
      true,
      true,
    ]);
  });

  it('that fails stops the forks, and its failure is thrown unchanged', async () => {
    const { seen, work } = reasons();
    const failure = new Error('disk full');
    const result = spawn(null, ({ fork }) => {
      fork(work);
      throw failure;
    });
    expect(await errorOf(result)).toBe(failure);
    expect(seen).toMatchObject([{ kind: 'sibling', cause: failure }]);
  });

  it('stops what it did not await when it ends, as the library does', async () => {
    for (const end of [
      (): number => 7,
      (): never => {
        throw new Error('disk full');
      },
    ]) {
      const source = new CancellationTokenSource();
      const stragglers: Promise<unknown>[] = [];
      const result = spawn(source.token, async (context) => {
        stragglers.push(errorOf(obedient(context)));
        stragglers.push(errorOf(delay(context.token, 1000)));
        await turn();
        return end();
      });
      await result.catch(() => undefined);
      for (const straggler of stragglers) expect(await straggler).toBeInstanceOf(CancelledError);
      expect(source.isCancelled).toBe(false);
    }
  });

  it('that returned a response leaves it to be read, and a stop still reaches it', async () => {
    const source = new CancellationTokenSource();
    let body: CancellationToken | undefined;
    const response = await spawn(source.token, ({ token }) => {
      body = token;
      return new Response('x');
    });
    expect(body?.isCancelled).toBe(false);
    let heard: unknown;
    body?.onCancelled((reason) => (heard = reason.kind));
    source.cancel('user');
    expect([heard, await response.text()]).toEqual(['user', 'x']);
  });

  it('that returned beats a cancel', async () => {
    const source = new CancellationTokenSource();
    const answer = deferred<number>();
    const result = spawn(source.token, ({ fork }) => {
      fork(obedient);
      return answer.promise;
    });
    source.cancel('user');
    await turn();
    answer.resolve(7);
    expect(await result).toBe(7);
  });
});

describe('a fork', () => {
  it('is joined for its value or its failure', async () => {
    const result = spawn(null, async ({ fork }) => {
      const value = await fork(async () => 7).join();
      const stopped = fork(obedient);
      expect(stopped.cancel({ kind: 'budget' })).toBe(true);
      expect(stopped.cancel()).toBe(false);
      return [value, await errorOf(stopped.join())];
    });
    expect(await result).toMatchObject([7, { name: 'AbortError', reason: { kind: 'budget' } }]);
  });

  it('that was cancelled alone stops nobody', async () => {
    const other = reasons();
    await spawn(null, async ({ fork, token }) => {
      fork(other.work);
      fork(obedient).cancel();
      await turn();
      expect(other.seen).toEqual([]);
      expect(token.isCancelled).toBe(false);
    });
  });

  it('that fails stops the body and the others, once, also when the body joined it', async () => {
    const failure = new Error('connection lost');
    const other = reasons();
    const suppressed: unknown[] = [];
    let why: unknown;
    const result = spawn(
      null,
      async ({ fork, token }) => {
        token.onCancelled((reason) => (why = reason));
        fork(other.work);
        await fork(() => Promise.reject(failure)).join();
      },
      { onSuppressed: (error) => suppressed.push(error) },
    );
    expect(await errorOf(result)).toBe(failure);
    expect(why).toMatchObject({ kind: 'sibling', cause: failure });
    expect(other.seen).toEqual([why]);
    expect(suppressed).toEqual([]);
  });

  it('that nobody joins leaves no unhandled rejection', async () => {
    const result = spawn(null, async ({ fork, token }) => {
      fork(() => Promise.reject(new Error('connection lost')));
      await token.whenCancelled();
      token.throwIfCancelled();
    });
    expect(await errorOf(result)).toEqual(new Error('connection lost'));
    await turn();
  });

  it('is not begun under a cancelled token, or when everything has ended, and says why', async () => {
    const source = new CancellationTokenSource();
    const never = vi.fn();
    let context: SpawnContext | undefined;
    const early = spawn(source.token, (given) => {
      context = given;
      source.cancel('user');
      return errorOf(given.fork(never).join());
    });
    expect(await early).toBe(source.signal.reason);
    expect(await errorOf(context!.fork(never).join())).toBe(source.signal.reason);

    await spawn(null, (given) => void (context = given));
    expect(await errorOf(context!.fork(never).join())).toMatchObject({ reason: { kind: 'superseded' } });
    expect(() => context!.fork(7 as never)).toThrow(new TypeError('fork(work) must be a function, got 7'));
    expect(never).not.toHaveBeenCalled();
  });
});

describe('a clean-up', () => {
  it('runs last in first out when everything has ended, also one that a clean-up registered', async () => {
    const log: string[] = [];
    await spawn(null, async ({ fork, defer }) => {
      defer(() => log.push('first'));
      defer(async (token) => {
        await turn();
        log.push(`second ${token.isCancelled}`);
        defer(() => log.push('from inside'));
      });
      fork(({ token }) => token.whenCancelled().then(() => log.push('fork')));
    });
    expect(log).toEqual(['fork', 'second false', 'from inside', 'first']);
  });

  it('runs after a cancel, under a shield, and not longer than the grace', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    const log: unknown[] = [];
    const result = spawn(
      source.token,
      async (context) => {
        context.defer(() => log.push('closed'));
        context.defer((token) => {
          log.push(token.isCancelled);
          return deaf();
        });
        await obedient(context);
      },
      { graceMs: 50 },
    );
    const error = errorOf(result);
    source.cancel('user');
    await clock.advance(50);
    await clock.advance(0);
    expect(isCancelledError(await error)).toBe(true);
    expect(await error).toMatchObject({ reason: { kind: 'user' }, abandoned: { name: 'shielded work' } });
    expect(log).toEqual([false, 'closed']);
  });

  it('is refused when it would never run', async () => {
    let defer: SpawnContext['defer'] | undefined;
    await spawn(null, (context) => void (defer = context.defer));
    expect(() => defer?.(() => {})).toThrow(new TypeError('spawn() has ended: this clean-up would never run'));
    expect(() => defer?.(7 as never)).toThrow(new TypeError('defer(cleanup) must be a function, got 7'));
  });
});

describe('a cancel', () => {
  it('before the start: the body is never called', async () => {
    const token = CancellationToken.alreadyCancelled('user');
    const body = vi.fn();
    expect(await errorOf(spawn(token, body))).toBe(token.signal.reason);
    expect(await errorOf(spawn(null, 7 as never))).toEqual(new TypeError('body must be a function, got 7'));
    expect(body).not.toHaveBeenCalled();
  });

  it('inside the body', async () => {
    const source = new CancellationTokenSource();
    const result = spawn(source.token, (context) => {
      source.cancel('user');
      return obedient(context);
    });
    expect(await errorOf(result)).toBe(source.signal.reason);
  });

  it('by the limit of the call is its own error', async () => {
    const clock = new VirtualClock();
    const result = errorOf(spawn(null, obedient, { timeoutMs: 50, clock }));
    await clock.advance(50);
    expect(await result).toMatchObject({ limitMs: 50 });
    expect(clock.pending).toBe(0);
  });

  it('leaves no listener on a foreign signal', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    await spawn(signal, ({ fork }) => void fork(obedient));
    expect(listeners(signal)).toBe(0);
    const result = errorOf(
      spawn(signal, ({ fork, ...context }) => {
        fork(obedient);
        return obedient(context);
      }),
    );
    controller.abort('tab closed');
    const error = await result;
    expect(isCancelledError(error) && error.reason.message).toBe('tab closed');
    expect(listeners(signal)).toBe(0);
  });
});

describe('cures', () => {
  it('lost reasons: the library drops them before the start and on the way to a fork', async () => {
    const why = new Error('why');
    expect(await errorOf(bare(AbortSignal.abort(why), async () => 7))).not.toBe(why);
    const controller = new AbortController();
    const seen: unknown[] = [];
    const lost = bare(controller.signal, async (signal, { fork }) => {
      fork(async (own) => {
        own.addEventListener('abort', () => seen.push(own.reason), { once: true });
        await obedient({ signal: own });
      });
      await obedient({ signal });
    });
    controller.abort(why);
    expect(await errorOf(lost)).not.toBe(why);
    expect(seen).not.toEqual([why]);

    const source = new CancellationTokenSource();
    const { seen: told, work } = reasons();
    let task: SpawnTask<never> | undefined;
    const result = spawn(source.token, ({ fork, ...context }) => {
      task = fork(work);
      return obedient(context);
    });
    source.cancel('user');
    expect(await errorOf(result)).toBe(source.signal.reason);
    expect(told).toEqual([source.reason]);
    expect(await errorOf(task!.join())).toBe(source.signal.reason);
  });

  it('a deaf fork: the library waits for ever, this for the grace, and names it', async () => {
    const hanging = bare(new AbortController().signal, async (_signal, { fork }) => void fork(deaf));
    expect(await stateOf(hanging)).toBe('pending');

    const clock = new VirtualClock();
    const { token } = new CancellationTokenSource({ clock });
    const suppressed: unknown[] = [];
    const result = spawn(token, ({ fork }) => void fork(() => deaf(), { name: 'heartbeat' }), {
      graceMs: 50,
      onSuppressed: (error) => suppressed.push(error),
    });
    await clock.advance(49);
    expect(await stateOf(result)).toBe('pending');
    await clock.advance(1);
    expect(await result).toBe(undefined);
    expect(suppressed).toMatchObject([{ abandoned: { name: 'heartbeat' }, reason: { kind: 'superseded' } }]);
  });

  it('several failures: the library throws the last, this the first', async () => {
    const failing = (n: string) => (): Promise<never> => Promise.reject(new Error(n));
    const cleanUp = failing('clean-up');
    const last = bare(new AbortController().signal, async (signal, { fork, defer }) => {
      defer(failing('close'));
      fork(failing('cause'));
      fork((own) => obedient({ signal: own }).catch(cleanUp));
      await obedient({ signal });
    });
    expect(await errorOf(last)).toEqual(new Error('close'));

    const suppressed: unknown[] = [];
    const result = spawn(
      null,
      async ({ fork, defer, ...context }) => {
        defer(failing('close'));
        fork(failing('cause'));
        fork((own) => obedient(own).catch(cleanUp));
        await obedient(context);
      },
      { onSuppressed: (error) => suppressed.push(error) },
    );
    expect(await errorOf(result)).toEqual(new Error('cause'));
    expect(suppressed).toEqual([new Error('clean-up'), new Error('close')]);
  });

  it("somebody else's abort in a fork: the library swallows it", async () => {
    const foreign = new DOMException('The other operation was aborted', 'AbortError');
    const aborted = (): Promise<never> => Promise.reject(foreign);
    expect(await bare(new AbortController().signal, async (_signal, { fork }) => void fork(aborted))).toBe(undefined);
    expect(await errorOf(spawn(null, ({ fork }) => void fork(aborted)))).toBe(foreign);
  });

  it('a clean-up that a clean-up registered: the library never runs it', async () => {
    const log: string[] = [];
    await bare(new AbortController().signal, async (_signal, { defer }) => {
      defer(() => defer(() => void log.push('bare')));
    });
    await spawn(null, ({ defer }) => {
      defer(() => defer(() => void log.push('ours')));
    });
    expect(log).toEqual(['ours']);
  });
});
