import { all as bare } from 'abort-controller-x';
import { describe, expect, it, vi } from 'vitest';

import { all } from '../../../src/adapters/compose/index.ts';
import { isCancelledError } from '../../../src/core/foundation/errors.ts';
import {
  CancellationToken,
  CancellationTokenSource,
  DeadlineExceededError,
  type CancelContext,
} from '../../../src/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { deaf, errorOf, listeners, obedient, stateOf, turn } from './observe.ts';

describe('values', () => {
  it('come in the order of the works, whichever ends first', async () => {
    const first = deferred<string>();
    const values = all(null, [() => first.promise, () => 7, async () => null]);
    await turn();
    first.resolve('last');
    expect(await values).toEqual(['last', 7, null]);
    expect(await all(new AbortController().signal, [])).toEqual([]);
  });

  it('of work that all returned beat a cancel', async () => {
    const source = new CancellationTokenSource();
    const answers = [deferred<number>(), deferred<number>()];
    const values = all(
      source.token,
      answers.map(
        ({ promise }) =>
          () =>
            promise,
      ),
    );
    answers[0]?.resolve(1);
    source.cancel('user');
    await turn();
    answers[1]?.resolve(2);
    expect(await values).toEqual([1, 2]);
  });

  it('with a body to read: a stop still reaches it, and the limit no longer does', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    const signals: AbortSignal[] = [];
    const open = ({ signal }: CancelContext): ReadableStream => {
      signals.push(signal);
      return new ReadableStream();
    };
    const streams = await all(source.token, [open, () => 7, open], { timeoutMs: 100 });
    await clock.advance(200);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    source.cancel('user');
    expect(signals.map(({ reason }: AbortSignal) => reason as unknown)).toEqual(
      Array(2).fill(source.signal.reason as unknown),
    );
    expect(streams).toHaveLength(3);
  });
});

describe('a failure', () => {
  it('is thrown unchanged when the others, told why, have ended', async () => {
    const failure = new Error('disk full');
    const broken = deferred();
    const cleaned = deferred();
    const reasons: unknown[] = [];
    const result = all(null, [
      () => broken.promise,
      async ({ token }) => {
        reasons.push(await token.whenCancelled());
        await cleaned.promise;
        token.throwIfCancelled();
      },
    ]);
    broken.reject(failure);
    expect(await stateOf(result)).toBe('pending');
    expect(reasons).toMatchObject([{ kind: 'sibling', cause: failure }]);
    cleaned.resolve();
    expect(await errorOf(result)).toBe(failure);
  });

  it('of the first work keeps the later ones from starting', async () => {
    const second = vi.fn();
    const fails = (): never => {
      throw new Error('disk full');
    };
    expect(await errorOf(all(null, [fails, second]))).toEqual(new Error('disk full'));
    expect(second).not.toHaveBeenCalled();
  });

  it('that is not the first goes to onSuppressed, a late value to onLateSettle', async () => {
    const [a, b, c] = [deferred(), deferred(), deferred<number>()];
    const suppressed: unknown[] = [];
    const late: unknown[] = [];
    const result = all(null, [() => a.promise, () => b.promise, () => c.promise], {
      onSuppressed: (error) => suppressed.push(error),
      onLateSettle: (outcome) => late.push(outcome),
    });
    b.reject(new Error('first'));
    a.reject(new Error('second'));
    await turn();
    c.resolve(7);
    expect(await errorOf(result)).toEqual(new Error('first'));
    expect(suppressed).toEqual([new Error('second')]);
    expect(late).toEqual([{ status: 'completed', value: 7, afterStop: true }]);
  });

  it('beats a cancel', async () => {
    const source = new CancellationTokenSource();
    const result = all(source.token, [
      obedient,
      async ({ token }) => {
        await token.whenCancelled();
        throw new Error('rollback failed');
      },
    ]);
    source.cancel('user');
    expect(await errorOf(result)).toEqual(new Error('rollback failed'));
  });
});

describe('a cancel', () => {
  it('before the start: nothing is called', async () => {
    const token = CancellationToken.alreadyCancelled('user');
    const work = vi.fn();
    expect(await errorOf(all(token, [work, work]))).toBe(token.signal.reason);
    expect(await errorOf(all(token, []))).toBe(token.signal.reason);
    expect(work).not.toHaveBeenCalled();
  });

  it('reaches every branch with its reason, and comes out as the one error of the token', async () => {
    const source = new CancellationTokenSource();
    const reasons: unknown[] = [];
    const branch = async ({ token, signal }: CancelContext): Promise<void> => {
      reasons.push(await token.whenCancelled());
      throw signal.reason;
    };
    const result = all(source.token, [branch, branch]);
    source.cancel({ kind: 'user', by: 'ada' });
    expect(await errorOf(result)).toBe(source.signal.reason);
    expect(reasons).toEqual([source.reason, source.reason]);
  });

  it('from a foreign signal, which keeps no listener afterwards', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    await all(signal, [() => 1, async () => 2]);
    await errorOf(all(signal, [obedient, () => Promise.reject(new Error('disk full'))]));
    expect(listeners(signal)).toBe(0);
    const result = errorOf(all(signal, [obedient, obedient]));
    expect(listeners(signal)).toBe(1);
    controller.abort('tab closed');
    const error = await result;
    expect(isCancelledError(error) && error.reason.message).toBe('tab closed');
    expect(listeners(signal)).toBe(0);
  });

  it('by the limit of the call is its own error, by one further up it is not', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock, timeoutMs: 100 });
    const [outer, inner] = [200, 50].map((timeoutMs) => errorOf(all(source.token, [obedient], { timeoutMs })));
    await clock.advance(100);
    expect(await inner).toMatchObject({ name: 'TimeoutError', limitMs: 50 });
    expect(await inner).toBeInstanceOf(DeadlineExceededError);
    expect(await outer).toBe(source.signal.reason);
    expect(clock.pending).toBe(0);
  });

  it('keeps what a branch had finished', async () => {
    const source = new CancellationTokenSource();
    const saved = deferred<string>();
    const result = all(source.token, [
      obedient,
      async ({ commit, checkpoint }) => {
        await commit(() => saved.promise);
        checkpoint();
      },
    ]);
    await turn();
    source.cancel('user');
    await turn();
    saved.resolve('saved');
    expect(await errorOf(result)).toMatchObject({ completed: { value: 'saved' }, reason: source.reason });
  });
});

describe('bad input', () => {
  it.each<[unknown[], string]>([
    [[null, 7], 'works must be an array of functions, got 7'],
    [[null, [() => 1, Promise.resolve(7)]], 'works[1] must be a function, got an instance of Promise'],
    [['token', []], 'a token must be a CancellationToken or an AbortSignal, got "token"'],
    [[null, [], { onSuppressed: 7 }], 'onSuppressed must be a function, got 7'],
    [[null, [], { onLateSettle: 7 }], 'onLateSettle must be a function, got 7'],
    [[null, [], { graceMs: '7' }], 'graceMs must be a number of milliseconds, got "7"'],
  ])('%o', async (args, message) => {
    expect(await errorOf(all(...(args as Parameters<typeof all>)))).toEqual(new TypeError(message));
  });
});

describe('cures', () => {
  it('aborted inside the executor: the library never tells the branches', async () => {
    const controller = new AbortController();
    const hanging = bare(controller.signal, (signal) => {
      controller.abort();
      return [obedient({ signal })];
    });
    expect(await stateOf(hanging)).toBe('pending');

    const source = new CancellationTokenSource();
    const last = vi.fn();
    const result = all(source.token, [obedient, () => void source.cancel('user'), last]);
    expect(await errorOf(result)).toBe(source.signal.reason);
    expect(last).not.toHaveBeenCalled();
  });

  it('a deaf branch: the library waits for ever, this for the grace, and names it', async () => {
    const controller = new AbortController();
    const hanging = bare(controller.signal, (signal) => [obedient({ signal }), deaf()]);
    controller.abort();
    expect(await stateOf(hanging)).toBe('pending');

    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    const suppressed: unknown[] = [];
    const late: unknown[] = [];
    const upload = deferred<string>();
    const result = all(
      source.token,
      [
        obedient,
        function upload1() {
          return upload.promise;
        },
        () => deaf(),
      ],
      { graceMs: 50, onSuppressed: (error) => suppressed.push(error), onLateSettle: (outcome) => late.push(outcome) },
    );
    source.cancel('user');
    await clock.advance(49);
    expect(await stateOf(result)).toBe('pending');
    await clock.advance(1);
    expect(await errorOf(result)).toMatchObject({ abandoned: { name: 'upload1, all[2]' }, reason: source.reason });
    expect(suppressed).toMatchObject([{ abandoned: { name: 'upload1' } }, { abandoned: { name: 'all[2]' } }]);
    upload.resolve('done after all');
    await turn();
    expect(late).toEqual([{ status: 'completed', value: 'done after all' }]);
    expect(clock.pending).toBe(0);
  });

  it('a deaf branch beside a failure: the failure comes out after the grace', async () => {
    const clock = new VirtualClock();
    const { token } = new CancellationTokenSource({ clock });
    const suppressed: unknown[] = [];
    const fails = (): Promise<never> => Promise.reject(new Error('disk full'));
    const result = errorOf(
      all(token, [fails, () => deaf()], { graceMs: 50, onSuppressed: (error) => suppressed.push(error) }),
    );
    await clock.advance(50);
    expect(await result).toEqual(new Error('disk full'));
    expect(suppressed).toMatchObject([{ abandoned: { name: 'all[1]' }, reason: { kind: 'sibling' } }]);
  });

  it('an executor that throws half-way: the library leaves what it began unobserved, this cannot', async () => {
    const failing = vi.fn(() => Promise.reject(new Error('late')));
    const stopped: unknown[] = [];
    const result = all(null, [
      (context) => obedient(context).catch((error: unknown) => stopped.push(error)),
      failing,
      () => {
        throw new Error('half-way');
      },
    ]);
    expect(await errorOf(result)).toEqual(new Error('half-way'));
    expect(failing).toHaveBeenCalledOnce();
    expect(stopped).toHaveLength(1);
  });

  it("somebody else's abort: the library takes the clean-up's failure for the cause, this the abort", async () => {
    const foreign = new DOMException('The other operation was aborted', 'AbortError');
    const bareResult = bare(new AbortController().signal, (signal) => [
      Promise.reject(foreign),
      obedient({ signal }).catch(() => Promise.reject(new Error('clean-up'))),
    ]);
    expect(await errorOf(bareResult)).toEqual(new Error('clean-up'));

    const result = all(null, [
      () => Promise.reject(foreign),
      (context) => obedient(context).catch(() => Promise.reject(new Error('clean-up'))),
    ]);
    expect(await errorOf(result)).toBe(foreign);
  });

  it('a kill reaches a branch that was left behind', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    let killed = false;
    const result = errorOf(
      all(
        source.token,
        [
          ({ token }) => {
            token.onKilled(() => (killed = true));
            return deaf();
          },
        ],
        { graceMs: 50 },
      ),
    );
    source.cancel('user');
    await clock.advance(50);
    await result;
    expect(killed).toBe(false);
    source.kill();
    expect(killed).toBe(true);
  });
});
