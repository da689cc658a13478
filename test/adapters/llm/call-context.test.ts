import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { CallScope } from '../../../src/adapters/internal/call-scope.ts';
import { callContext } from '../../../src/adapters/llm/call-context.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';

/** A `fetch` that only remembers what it was called with. */
function remember(): { calls: RequestInit[]; fetch: typeof fetch } {
  const calls: RequestInit[] = [];
  const fetchImpl: typeof fetch = (_input, init) => {
    calls.push(init ?? {});
    return Promise.resolve(new Response('ok'));
  };
  return { calls, fetch: fetchImpl };
}

function setUp() {
  const source = new CancellationTokenSource();
  const scope = new CallScope([source.token], {});
  const { calls, fetch } = remember();
  return { source, scope, calls, context: callContext(scope, fetch) };
}

it('hands out the call’s token and its signal', () => {
  const { scope, context } = setUp();
  const { token, signal } = context;
  expect(token).toBe(scope.token);
  expect(signal).toBe(scope.signal);
  scope.release();
});

it('can be handed to a client that copies its options', () => {
  const { scope, context } = setUp();
  expect(Object.keys(context)).toEqual(['signal', 'token', 'fetch']);
  const { token, ...rest } = { ...context, timeout: 5 };
  expect([token, rest.signal]).toEqual([scope.token, scope.signal]);
  scope.release();
});

it('fetches under the call’s signal, destructured or not, with all that it was given', async () => {
  const { source, scope, context, calls } = setUp();
  const { fetch } = context;
  for (const init of [undefined, { method: 'POST' }, { signal: null }]) {
    await fetch('http://localhost/', init);
  }
  await context.fetch(new Request('http://localhost/'));
  expect(calls[1]).toMatchObject({ method: 'POST' });
  expect(calls.map(({ signal }) => signal?.aborted)).toEqual([false, false, false, false]);
  expect(calls.slice(0, 3).map(({ signal }) => signal === scope.signal)).toEqual([true, true, true]);
  source.cancel('user');
  expect(calls.map(({ signal }) => signal?.reason)).toEqual(calls.map(() => source.signal.reason));
  scope.release();
});

it('keeps the client’s own signal alive beside it, and drops it with the call', async () => {
  const { scope, context, calls } = setUp();
  const own = new AbortController();
  await context.fetch('http://localhost/', { signal: own.signal });
  await context.fetch(new Request('http://localhost/', { signal: own.signal }));
  for (const { signal } of calls) signal?.addEventListener('abort', () => undefined);
  own.abort();
  expect(calls.map(({ signal }) => signal?.aborted)).toEqual([true, true]);
  expect(scope.isCancelled).toBe(false);

  const later = new AbortController();
  await context.fetch('http://localhost/', { signal: later.signal });
  calls.at(-1)?.signal?.addEventListener('abort', () => undefined);
  expect(getEventListeners(later.signal, 'abort')).toHaveLength(1);
  scope.release();
  expect(getEventListeners(later.signal, 'abort')).toHaveLength(0);
});

it('uses the global fetch where it was given none', async () => {
  const scope = new CallScope([], {});
  const response = await callContext(scope, undefined).fetch('data:text/plain,hello');
  expect(await response.text()).toBe('hello');
  scope.release();
});
