import { race as bare } from 'abort-controller-x';
import { describe, expect, it, vi } from 'vitest';

import { race } from '../../../src/adapters/compose/index.ts';
import {
  CancellationToken,
  CancellationTokenSource,
  DeadlineExceededError,
  type CancelContext,
} from '../../../src/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { deaf, errorOf, listeners, obedient, stateOf, turn } from './observe.ts';

describe('the winner', () => {
  it('is the first value, when the losers, told why, have ended', async () => {
    const answer = deferred<string>();
    const cleaned = deferred();
    const reasons: unknown[] = [];
    const result = race(null, [
      async ({ token }) => {
        reasons.push(await token.whenCancelled());
        await cleaned.promise;
        token.throwIfCancelled();
        return 'slow';
      },
      () => answer.promise,
    ]);
    answer.resolve('fast');
    expect(await stateOf(result)).toBe('pending');
    expect(reasons).toMatchObject([{ kind: 'superseded', message: 'Another branch came first' }]);
    cleaned.resolve();
    expect(await result).toBe('fast');
  });

  it('is the first failure, unchanged', async () => {
    const reasons: unknown[] = [];
    const failure = new Error('disk full');
    const result = race(null, [
      (context) => {
        context.token.onCancelled((reason) => reasons.push(reason));
        return obedient(context);
      },
      () => Promise.reject(failure),
    ]);
    expect(await errorOf(result)).toBe(failure);
    expect(reasons).toMatchObject([{ kind: 'sibling', cause: failure }]);
  });

  it('at once keeps the later ones from starting', async () => {
    const second = vi.fn(() => 2);
    expect(await race(null, [() => 1, second])).toBe(1);
    expect(second).not.toHaveBeenCalled();
  });

  it('beats a cancel of the same tick', async () => {
    const source = new CancellationTokenSource();
    const answer = deferred<number>();
    const result = race(source.token, [() => answer.promise, obedient]);
    answer.resolve(7);
    source.cancel('user');
    expect(await result).toBe(7);
  });
});

describe('a loser', () => {
  it('that still returned goes to onLateSettle, one that failed to onSuppressed', async () => {
    const [a, b, c] = [deferred<number>(), deferred<number>(), deferred<number>()];
    const suppressed: unknown[] = [];
    const late: unknown[] = [];
    const result = race(null, [() => a.promise, () => b.promise, () => c.promise], {
      onSuppressed: (error) => suppressed.push(error),
      onLateSettle: (outcome) => late.push(outcome),
    });
    b.resolve(2);
    a.reject(new Error('clean-up'));
    await turn();
    c.resolve(3);
    expect(await result).toBe(2);
    expect(suppressed).toEqual([new Error('clean-up')]);
    expect(late).toEqual([{ status: 'completed', value: 3, afterStop: true }]);
  });

  it('leaves no listener on a foreign signal, deaf or not', async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const { signal } = controller;
    const result = race(signal, [obedient, () => deaf(), async () => 7], {
      graceMs: 50,
      timeoutMs: 1000,
      clock,
    });
    await clock.advance(50);
    expect(await result).toBe(7);
    expect(listeners(signal)).toBe(0);
    expect(clock.pending).toBe(0);
  });
});

describe('a cancel', () => {
  it('before the start: nothing is called', async () => {
    const token = CancellationToken.alreadyCancelled('user');
    const work = vi.fn();
    expect(await errorOf(race(token, [work]))).toBe(token.signal.reason);
    expect(work).not.toHaveBeenCalled();
  });

  it('comes out as the one error of the token', async () => {
    const source = new CancellationTokenSource();
    const result = race(source.token, [obedient, obedient]);
    source.cancel({ kind: 'user', by: 'ada' });
    expect(await errorOf(result)).toBe(source.signal.reason);
  });

  it('by the limit of the call is its own error', async () => {
    const clock = new VirtualClock();
    const result = errorOf(race(null, [obedient], { timeoutMs: 50, clock }));
    await clock.advance(50);
    expect(await result).toBeInstanceOf(DeadlineExceededError);
  });
});

describe('cures', () => {
  it('race([]): the library never settles, this refuses it', async () => {
    expect(await stateOf(bare(new AbortController().signal, () => []))).toBe('pending');
    expect(await errorOf(race(null, []))).toEqual(new TypeError('race() needs at least one work, got none'));
  });

  it('aborted inside the executor: the library never tells the branches', async () => {
    const controller = new AbortController();
    const hanging = bare(controller.signal, (signal) => {
      controller.abort();
      return [obedient({ signal })];
    });
    expect(await stateOf(hanging)).toBe('pending');

    const source = new CancellationTokenSource();
    const result = race(source.token, [
      (context) => {
        source.cancel('user');
        return obedient(context);
      },
    ]);
    expect(await errorOf(result)).toBe(source.signal.reason);
  });

  it("a loser's clean-up that throws: the library forgets the winner", async () => {
    const cleanUp = (): Promise<never> => Promise.reject(new Error('clean-up'));
    const lost = bare(new AbortController().signal, (signal) => [
      Promise.resolve('won'),
      obedient({ signal }).catch(cleanUp),
    ]);
    expect(await errorOf(lost)).toEqual(new Error('clean-up'));

    const suppressed: unknown[] = [];
    const result = race(null, [async () => 'won', (context) => obedient(context).catch(cleanUp)], {
      onSuppressed: (error) => suppressed.push(error),
    });
    expect(await result).toBe('won');
    expect(suppressed).toEqual([new Error('clean-up')]);
  });

  it('a deaf loser: the library waits for ever, this for the grace, and names it', async () => {
    expect(await stateOf(bare(new AbortController().signal, () => [Promise.resolve(7), deaf()]))).toBe('pending');

    const clock = new VirtualClock();
    const { token } = new CancellationTokenSource({ clock });
    const suppressed: unknown[] = [];
    const late: unknown[] = [];
    const loser = deferred<number>();
    const result = race(
      token,
      [
        async () => 7,
        function mirror() {
          return loser.promise;
        },
      ],
      { graceMs: 50, onSuppressed: (error) => suppressed.push(error), onLateSettle: (outcome) => late.push(outcome) },
    );
    await clock.advance(49);
    expect(await stateOf(result)).toBe('pending');
    await clock.advance(1);
    expect(await result).toBe(7);
    expect(suppressed).toMatchObject([{ abandoned: { name: 'mirror' }, reason: { kind: 'superseded' } }]);
    loser.resolve(8);
    await turn();
    expect(late).toEqual([{ status: 'completed', value: 8 }]);
  });

  it('deaf branches and a cancel: named in the error', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    const result = errorOf(race(source.token, [() => deaf(), obedient], { graceMs: 50 }));
    source.cancel('user');
    await clock.advance(50);
    expect(await result).toMatchObject({ abandoned: { name: 'race[0]' }, reason: source.reason });
  });

  it('a value after a cancel: the library keeps the abort, this the value', async () => {
    const controller = new AbortController();
    const written = deferred<string>();
    const lost = bare(controller.signal, (signal) => [obedient({ signal }), written.promise]);
    const source = new CancellationTokenSource();
    const result = race(source.token, [obedient, () => written.promise]);
    controller.abort();
    source.cancel('user');
    await turn();
    written.resolve('written');
    expect(await errorOf(lost)).toBe(controller.signal.reason);
    expect(await result).toBe('written');
  });

  it('a winner with a body: the library aborts it with the losers', async () => {
    const signals: AbortSignal[] = [];
    const open = async ({ signal }: { readonly signal: AbortSignal }): Promise<ReadableStream> => {
      signals.push(signal);
      return new ReadableStream();
    };
    await bare(new AbortController().signal, (signal) => [open({ signal })]);
    expect(signals[0]?.aborted).toBe(true);

    const source = new CancellationTokenSource();
    const stream = await race(source.token, [
      (context: CancelContext) => open(context),
      (context: CancelContext) => obedient(context),
    ]);
    expect(signals[1]?.aborted).toBe(false);
    source.cancel('user');
    expect(signals[1]?.reason).toBe(source.signal.reason);
    expect(stream).toBeInstanceOf(ReadableStream);
  });
});
