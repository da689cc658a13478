import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { cancellableCall } from '../../../src/adapters/llm/cancellable-call.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

const clock = new VirtualClock();

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

/** As the SDKs do it: an error of their own, whose name says nothing. */
class APIUserAbortError extends Error {}

const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

it('returns what the call answered, at once or by a promise', async () => {
  expect(await cancellableCall(undefined, () => 7)).toBe(7);
  expect(await cancellableCall(null, () => Promise.resolve('text'))).toBe('text');
});

it('does not call under a cancelled token', async () => {
  const person = new CancellationTokenSource({ clock });
  person.cancel('user');
  const call = vi.fn();
  expect(await caught(cancellableCall(person.token, call))).toBe(person.signal.reason);
  expect(call).not.toHaveBeenCalled();
});

describe('a cancel', () => {
  it('S09 does not wait for a client in its back-off, whose answer is heard afterwards', async () => {
    const person = new CancellationTokenSource({ clock });
    const answer = deferred<string>();
    const late: unknown[] = [];
    let seen: AbortSignal | undefined;
    const calling = caught(
      cancellableCall(
        person.token,
        ({ signal }) => {
          seen = signal;
          return answer.promise;
        },
        { onLateSettle: (outcome) => late.push(outcome) },
      ),
    );
    person.cancel('user');
    expect(await calling).toBe(person.signal.reason);
    expect(seen?.aborted).toBe(true);
    answer.resolve('paid for');
    await clock.advance(0);
    expect(late).toEqual([{ status: 'completed', value: 'paid for' }]);
  });

  it('is the token’s error, whatever the client calls it', async () => {
    const person = new CancellationTokenSource({ clock });
    const calling = caught(
      cancellableCall(
        person.token,
        ({ signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reject(new APIUserAbortError('Request was aborted.'));
            });
          }),
      ),
    );
    person.cancel('user');
    expect(await calling).toBe(person.signal.reason);
  });

  it.each([
    ['an error of its own', new Error('The user stopped it')],
    ['the words of gRPC', Object.assign(new Error('1 CANCELLED: Cancelled on client'), { code: 1 })],
    ['what is no error', undefined],
  ])('is the token’s error, as a limit is one, where the client rejects at once with %s', async (_what, error) => {
    const ask = ({ signal }: { readonly signal: AbortSignal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(error);
        });
      });
    const person = new CancellationTokenSource({ clock });
    const calling = caught(cancellableCall(person.token, ask));
    person.cancel('user');
    expect(await calling).toBe(person.signal.reason);
    const other = new CancellationTokenSource({ clock });
    const limited = caught(cancellableCall(other.token, ask, { timeoutMs: 20 }));
    await clock.advance(20);
    expect(await limited).toMatchObject({ name: 'TimeoutError', limitMs: 20 });
  });

  it('loses to an answer and to a failure of the same tick', async () => {
    for (const settle of ['resolve', 'reject'] as const) {
      const person = new CancellationTokenSource({ clock });
      const answer = deferred<unknown>();
      const calling = cancellableCall(person.token, () => answer.promise);
      const failure = new Error('503');
      answer[settle](failure);
      person.cancel('user');
      if (settle === 'resolve') await expect(calling).resolves.toBe(failure);
      else await expect(calling).rejects.toBe(failure);
    }
  });
});

it('tells its own limit from one above', async () => {
  const above = new CancellationTokenSource({ clock, timeoutMs: 50 });
  const never = new Promise<never>(() => undefined);
  const short = caught(cancellableCall(above.token, () => never, { timeoutMs: 20, name: 'ask' }));
  const long = caught(cancellableCall(above.token, () => never, { timeoutMs: 80 }));
  await clock.advance(20);
  expect(await short).toMatchObject({ name: 'TimeoutError', limitMs: 20, reason: { kind: 'deadline', source: 'ask' } });
  await clock.advance(30);
  expect(await long).toBe(above.signal.reason);
});

it('S34 leaves nothing on the session’s signal, however the call ended', async () => {
  const session = new AbortController();
  const listen = (signal: AbortSignal): void => {
    signal.addEventListener('abort', () => undefined); // as clients do that never remove theirs
  };
  await cancellableCall(session.signal, ({ signal }) => {
    listen(signal);
  });
  await caught(
    cancellableCall(session.signal, ({ signal }) => {
      listen(signal);
      throw new Error('no');
    }),
  );
  expect(getEventListeners(session.signal, 'abort')).toHaveLength(0);
});

it('refuses a live stream, and leaves it', async () => {
  const closed: unknown[] = [];
  const live = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.resolve({ done: true as const, value: undefined }),
      return: () => {
        closed.push('closed');
        return Promise.reject(new Error('already gone'));
      },
    }),
  };
  let seen: AbortSignal | undefined;
  const calling = cancellableCall(undefined, ({ signal }) => {
    seen = signal;
    return live;
  });
  await expect(calling).rejects.toThrow(/must not return a live stream/);
  expect(closed).toEqual(['closed']);
  expect(seen?.aborted).toBe(true);
  await expect(cancellableCall(undefined, () => new Response('text'))).rejects.toThrow(TypeError);
});

it.each([
  [undefined, {}, 'call must be a function, got undefined'],
  [() => 1, { fetch: 'x' }, 'fetch must be a function, got "x"'],
  [() => 1, { timeoutMs: -1 }, 'timeoutMs must be 0 or more milliseconds, got -1'],
  [() => 1, { onLateSettle: 5 }, 'onLateSettle must be a function, got 5'],
])('refuses %o, %o', async (call, options, message) => {
  await expect(cancellableCall(undefined, call as never, options as never)).rejects.toThrow(message);
});
