import { execute as bare } from 'abort-controller-x';
import { describe, expect, it, vi } from 'vitest';

import { execute } from '../../../src/adapters/compose/index.ts';
import { isCancelledError } from '../../../src/core/foundation/errors.ts';
import {
  CancellationToken,
  CancellationTokenSource,
  CancelledError,
  DeadlineExceededError,
} from '../../../src/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { errorOf, listeners, plainSignal, stateOf, turn } from './observe.ts';

describe('a promise like any other', () => {
  it('resolves, rejects, and takes a promise for a value', async () => {
    expect(await execute<number>(null, (resolve) => resolve(7))).toBe(7);
    expect(await execute<number>(undefined, (resolve) => resolve(Promise.resolve(7)))).toBe(7);
    expect(await errorOf(execute(null, (_, reject) => reject(new Error('disk full'))))).toEqual(new Error('disk full'));
    const thrown = execute(null, () => {
      throw new Error('disk full');
    });
    expect(await errorOf(thrown)).toEqual(new Error('disk full'));
  });

  it('hands over the token and its signal', async () => {
    const source = new CancellationTokenSource();
    let context: { token: CancellationToken; signal: AbortSignal } | undefined;
    const waiting = errorOf(execute(source.token, (_resolve, _reject, given) => void (context = given)));
    expect(context?.signal.aborted).toBe(false);
    source.cancel('user');
    expect(context?.token.reason).toBe(source.reason);
    expect(context?.signal.reason).toBe(await waiting);
  });

  it('refuses what is no executor, no undo and no token', async () => {
    expect(await errorOf(execute(null, 7 as never))).toEqual(new TypeError('executor must be a function, got 7'));
    expect(await errorOf(execute(null, () => 7 as never))).toEqual(
      new TypeError('what the executor returns must be a function, got 7'),
    );
    expect(await errorOf(execute('token' as never, () => {}))).toBeInstanceOf(TypeError);
    expect(await errorOf(execute(null, () => {}, { graceMs: -1 }))).toBeInstanceOf(RangeError);
  });
});

describe('a cancel', () => {
  it('before the start: the executor is never called', async () => {
    const token = CancellationToken.alreadyCancelled('user');
    const executor = vi.fn();
    expect(await errorOf(execute(token, executor))).toBe(token.signal.reason);
    expect(executor).not.toHaveBeenCalled();
  });

  it('calls the undo with the reason, waits for it, and rejects with the error of the token', async () => {
    const source = new CancellationTokenSource();
    const undone = deferred();
    const undo = vi.fn(() => undone.promise);
    const waiting = execute(source.token, () => undo);
    source.cancel({ kind: 'user', by: 'ada' });
    expect(undo).toHaveBeenCalledExactlyOnceWith(source.reason);
    expect(await stateOf(waiting)).toBe('pending');
    undone.resolve();
    expect(await errorOf(waiting)).toBe(source.signal.reason);
  });

  it.each(['resolve', 'reject'] as const)('after a %s of the same tick comes too late', async (how) => {
    const source = new CancellationTokenSource();
    const undo = vi.fn();
    let settle = (): void => {};
    const waiting = execute<number>(source.token, (resolve, reject) => {
      settle = how === 'resolve' ? () => resolve(7) : () => reject(new Error('disk full'));
      return undo;
    });
    settle();
    source.cancel('user');
    if (how === 'resolve') expect(await waiting).toBe(7);
    else expect(await errorOf(waiting)).toEqual(new Error('disk full'));
    expect(undo).not.toHaveBeenCalled();
  });

  it('a value that the undo still has is a value', async () => {
    const source = new CancellationTokenSource();
    const waiting = execute<string>(source.token, (resolve) => () => resolve('half of it'));
    source.cancel('user');
    expect(await waiting).toBe('half of it');
  });

  it('leaves no listener, whatever happened', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    await execute<number>(signal, (resolve) => resolve(7));
    await errorOf(execute(signal, (_, reject) => reject(new Error('disk full'))));
    expect(listeners(signal)).toBe(0);
    const waiting = errorOf(execute(signal, () => () => {}));
    expect(listeners(signal)).toBe(1);
    controller.abort();
    await waiting;
    expect(listeners(signal)).toBe(0);
  });

  it('by a limit of the call is its own error', async () => {
    const clock = new VirtualClock();
    const undo = vi.fn();
    const waiting = errorOf(execute(null, () => undo, { timeoutMs: 250, clock }));
    await clock.advance(250);
    expect(await waiting).toBeInstanceOf(DeadlineExceededError);
    expect(undo.mock.calls[0]?.[0]).toMatchObject({ kind: 'deadline' });
    expect(clock.pending).toBe(0);
  });
});

describe('cures', () => {
  it('aborted inside the executor: the library hangs, this does not', async () => {
    const controller = new AbortController();
    const undoBare = vi.fn();
    const hanging = bare(controller.signal, () => {
      controller.abort();
      return undoBare;
    });
    expect(await stateOf(hanging)).toBe('pending');
    expect(undoBare).not.toHaveBeenCalled();

    const source = new CancellationTokenSource();
    const undo = vi.fn();
    const waiting = execute(source.token, () => {
      source.cancel('user');
      return undo;
    });
    expect(await errorOf(waiting)).toBe(source.signal.reason);
    expect(undo).toHaveBeenCalledExactlyOnceWith(source.reason);
  });

  it.each<[string, () => unknown, string]>([
    [
      'an undo that throws',
      () => () => {
        throw new Error('undo');
      },
      'undo',
    ],
    // `() => emitter.off(…)`: an arrow that happens to return something.
    ['an undo that returns something', () => () => ({ off: true }), 'is not a function'],
    ['an executor that returns nothing', () => undefined, 'is not a function'],
  ])('%s: in the library it hits whoever aborts, and the promise hangs', async (_what, executor, message) => {
    const { signal, abort } = plainSignal();
    const hanging = bare(signal, executor as never);
    expect(() => abort(new Error('stop'))).toThrow(message);
    expect(await stateOf(hanging)).toBe('pending');

    const reported: unknown[] = [];
    const source = new CancellationTokenSource({ onCallbackError: (error) => reported.push(error) });
    const waiting = errorOf(execute(source.token, executor as never));
    expect(source.cancel('user')).toBe(true);
    const error = await waiting;
    // A failure of the undo is the failure that counts; anything else is the cancel.
    if (message === 'undo') expect(error).toEqual(new Error('undo'));
    else expect(error).toBe(source.signal.reason);
    expect(reported).toEqual([]);
  });

  it('an undo that never ends: the library waits for ever, this for the grace, and names it', async () => {
    const controller = new AbortController();
    const hanging = bare(controller.signal, () => () => new Promise<void>(() => {}));
    controller.abort();
    expect(await stateOf(hanging)).toBe('pending');

    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    const late: unknown[] = [];
    const undone = deferred();
    const waiting = execute(
      source.token,
      function closeDatabase() {
        return () => undone.promise;
      },
      { graceMs: 50, onLateSettle: (outcome) => late.push(outcome) },
    );
    source.cancel('user');
    await clock.advance(49);
    expect(await stateOf(waiting)).toBe('pending');
    await clock.advance(1);
    const error = await errorOf(waiting);
    expect(error).toMatchObject({ abandoned: { name: 'closeDatabase' }, reason: source.reason });
    undone.reject(new Error('late'));
    await turn();
    expect(late).toEqual([{ status: 'failed', error: new Error('late') }]);
    expect(clock.pending).toBe(0);
  });

  it('the reason of a foreign signal comes out as a reason of ours', async () => {
    const controller = new AbortController();
    const waiting = errorOf(execute(controller.signal, () => () => {}));
    controller.abort('tab closed');
    const error = await waiting;
    expect(error).toBeInstanceOf(CancelledError);
    expect(isCancelledError(error) && error.reason.message).toBe('tab closed');
  });
});
