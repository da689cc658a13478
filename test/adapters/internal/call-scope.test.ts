import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { cancellableIterable, sharedStream } from '../../../src/adapters/async-iterator/index.ts';
import { cancellableFetch } from '../../../src/adapters/fetch/index.ts';
import { CallScope } from '../../../src/adapters/internal/call-scope.ts';
import { cancellableCall, cancellableStream, foldOpenAIChat, readStream } from '../../../src/adapters/llm/index.ts';
import { CancelledError, DeadlineExceededError } from '../../../src/core/foundation/errors.ts';
import type { CancellationToken } from '../../../src/core/token/cancellation-token.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

function setUp() {
  const clock = new VirtualClock();
  const source = new CancellationTokenSource({ clock });
  return { clock, source };
}

describe('failure', () => {
  it('is the caller’s own error object when the caller cancelled', () => {
    const { source } = setUp();
    const scope = new CallScope([source.token], { timeoutMs: 10, idleMs: 5 });
    source.cancel('user');
    expect(scope.isCancelled).toBe(true);
    expect(scope.failure()).toBe(source.signal.reason);
    expect(scope.failure()).toBeInstanceOf(CancelledError);
  });

  it.each([
    ['deadline', { timeoutMs: 10 }, 10],
    ['deadline', { timeoutMs: 10, idleMs: 50 }, 10],
    ['idle', { idleMs: 10 }, 10],
    ['idle', { idleMs: 10, timeoutMs: 50 }, 10],
  ])('is a %s of its own with %o', async (kind, limits, limitMs) => {
    const { clock, source } = setUp();
    const scope = new CallScope([source.token], limits);
    scope.arm();
    await clock.advance(10);
    const failure = scope.failure();
    expect(failure).toBeInstanceOf(DeadlineExceededError);
    expect(failure).toMatchObject({ limitMs, reason: { kind } });
    expect(source.isCancelled).toBe(false);
    scope.release();
    expect(clock.pending).toBe(0);
  });

  it('leaves a limit from above a cancellation', async () => {
    const { clock, source } = setUp();
    const above = source.token.child({ timeoutMs: 10 });
    const scope = new CallScope([above.token], { timeoutMs: 20 });
    await clock.advance(10);
    expect(scope.failure()).toBeInstanceOf(CancelledError);
    expect(scope.failure()).toMatchObject({ reason: { kind: 'deadline' } });
    scope.release();
  });

  it('is of kind unknown when the call stopped itself', () => {
    const scope = new CallScope([], { idleMs: 10 });
    scope.cancel('The reader left');
    expect(scope.failure()).toMatchObject({
      name: 'AbortError',
      message: 'The reader left',
      reason: { kind: 'unknown' },
    });
    scope.release();
  });
});

it('counts idleness only while armed, afresh each time', async () => {
  const { clock, source } = setUp();
  const scope = new CallScope([source.token], { idleMs: 10 });
  await clock.advance(100);
  scope.arm();
  await clock.advance(9);
  scope.arm();
  await clock.advance(9);
  scope.disarm();
  await clock.advance(100);
  expect(scope.isCancelled).toBe(false);
  expect(clock.pending).toBe(0);
  scope.release();
});

it('follows several callers, signals and nothing at all', () => {
  const controller = new AbortController();
  const scope = new CallScope([undefined, controller.signal, null], {});
  expect(scope.signal.aborted).toBe(false);
  controller.abort(new Error('closed tab'));
  expect(scope.signal.aborted).toBe(true);
  expect(scope.failure()).toMatchObject({ name: 'AbortError', message: 'closed tab' });
});

it('leaves nothing on the caller when it is released', () => {
  const controller = new AbortController();
  const scope = new CallScope([controller.signal], { idleMs: 10, timeoutMs: 10 });
  scope.token.onCancelled(() => undefined);
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
  scope.release();
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
});

describe('a signal joined with another', () => {
  it('fires with the call and with the other one', () => {
    const { source } = setUp();
    const scope = new CallScope([source.token], {});
    const own = [new AbortController(), new AbortController()] as const;
    const joined = own.map(({ signal }) => scope.signalWith(signal));
    own[0].abort();
    expect(joined.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(scope.isCancelled).toBe(false);
    source.cancel('user');
    expect(joined[1]?.reason).toBe(source.signal.reason);
    scope.release();
  });

  it('is let go with the call', () => {
    const own = new AbortController();
    const scope = new CallScope([], {});
    scope.signalWith(own.signal).addEventListener('abort', () => undefined);
    expect(getEventListeners(own.signal, 'abort')).toHaveLength(1);
    scope.release();
    expect(getEventListeners(own.signal, 'abort')).toHaveLength(0);
  });
});

describe('explain', () => {
  const abort = new DOMException('This operation was aborted', 'AbortError');
  const failure = new Error('503 from upstream');

  it('leaves every error alone while the call lives', () => {
    const scope = new CallScope([], {});
    expect([scope.explain(abort), scope.explain(failure)]).toEqual([abort, failure]);
    scope.release();
  });

  it('takes an abort for the stop, and a failure that raced it for itself', async () => {
    const { clock, source } = setUp();
    const limited = new CallScope([source.token], { timeoutMs: 10 });
    await clock.advance(10);
    expect(limited.explain(abort)).toMatchObject({ name: 'TimeoutError', limitMs: 10 });
    const scope = new CallScope([source.token], {});
    source.cancel('user');
    expect(scope.explain(abort)).toBe(source.signal.reason);
    expect(scope.explain(failure)).toBe(failure);
    for (const each of [limited, scope]) each.release();
  });
});

it.each([
  [{ idleMs: -1 }, RangeError, 'idleMs must be 0 or more milliseconds, got -1'],
  [{ timeoutMs: '5' as unknown as number }, TypeError, 'timeoutMs must be a number of milliseconds, got "5"'],
])('refuses %o', (limits, type, message) => {
  expect(() => new CallScope([], limits)).toThrow(type);
  expect(() => new CallScope([], limits)).toThrow(message);
});

describe('S47 a limit that has passed while the loop was blocked', () => {
  /** A token whose limit is over, and whose timer has not run. */
  function overdue(): { readonly token: CancellationToken; readonly started: () => number; start(): void } {
    let now = 0;
    const clock = { now: () => now, setTimer: () => ({ release: () => undefined }) };
    const { token } = new CancellationTokenSource({ clock, timeoutMs: 10 });
    now = 20;
    let started = 0;
    return { token, started: () => started, start: () => void started++ };
  }
  async function* one(start: () => void) {
    start();
    yield await Promise.resolve(1);
  }
  const drain = async (items: AsyncIterable<unknown>): Promise<void> => {
    for await (const _item of items);
  };
  type Start = (token: CancellationToken, start: () => void) => Promise<unknown>;
  const doors: Readonly<Record<string, Start>> = {
    cancellableCall: (token, start) =>
      cancellableCall(token, () => {
        start();
      }),
    cancellableStream: (token, start) => drain(cancellableStream(token, () => one(start))),
    readStream: (token, start) => readStream(token, () => one(start), { fold: foldOpenAIChat as never }),
    cancellableIterable: (token, start) => drain(cancellableIterable(token, one(start))),
    'cancellableIterable, mode check': (token, start) =>
      drain(cancellableIterable(token, one(start), { mode: 'check' })),
    sharedStream: (token, start) => drain(sharedStream(token, one(start))),
    cancellableFetch: (token, start) =>
      cancellableFetch('http://localhost/', {
        token,
        fetch: () => {
          start();
          return Promise.resolve(new Response('ok'));
        },
      }),
  };

  it.each(Object.entries(doors))('S47 starts nothing by %s', async (_name, run) => {
    const { token, started, start } = overdue();
    await expect(run(token, start)).rejects.toMatchObject({ name: 'AbortError', reason: { kind: 'deadline' } });
    expect(started()).toBe(0);
  });
});
