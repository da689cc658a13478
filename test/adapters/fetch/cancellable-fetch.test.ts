import { afterEach, describe, expect, it, vi } from 'vitest';
import { cancellableFetch, type CancellableFetchInit } from '../../../src/adapters/fetch/cancellable-fetch.ts';
import { CancelledError, DeadlineExceededError } from '../../../src/core/foundation/errors.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

const clock = new VirtualClock();
const url = 'http://localhost/';

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

/** A server in one function: the test writes the body, the signal ends it as the host's `fetch` would. */
function fakeFetch(init: ResponseInit = {}) {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const state = { calls: 0, signal: undefined as AbortSignal | undefined, bodyCancelled: false };
  const body = new ReadableStream<Uint8Array>({
    start: (own) => {
      controller = own;
    },
    cancel: () => {
      state.bodyCancelled = true;
    },
  });
  const impl: typeof fetch = (_input, given) => {
    state.calls += 1;
    state.signal = given?.signal ?? undefined;
    return Promise.resolve(new Response(body, init));
  };
  return {
    fetch: impl,
    state,
    send: (text: string) => controller?.enqueue(new TextEncoder().encode(text)),
    end: () => controller?.close(),
    fail: (error: unknown) => controller?.error(error),
  };
}

function setUp(init: ResponseInit = {}) {
  const person = new CancellationTokenSource({ clock });
  const server = fakeFetch(init);
  const call = (options: CancellableFetchInit = {}) =>
    cancellableFetch(url, { token: person.token, fetch: server.fetch, ...options });
  return { person, server, call };
}

describe('the response', () => {
  it('is a real one that says all the original said', async () => {
    const { server, call } = setUp({ status: 201, statusText: 'Made', headers: { 'x-a': '1' } });
    const response = await call();
    expect(response).toBeInstanceOf(Response);
    expect([response.status, response.statusText, response.ok]).toEqual([201, 'Made', true]);
    expect(response.headers.get('x-a')).toBe('1');
    server.send('hel');
    server.send('lo');
    server.end();
    await expect(response.text()).resolves.toBe('hello');
    expect(response.bodyUsed).toBe(true);
  });

  it('keeps url, redirected and type, through a clone too', async () => {
    const original = new Response('{"a":1}');
    Object.defineProperty(original, 'url', { value: 'http://localhost/end' });
    Object.defineProperty(original, 'redirected', { value: true });
    Object.defineProperty(original, 'type', { value: 'basic' });
    const response = await cancellableFetch(url, { fetch: () => Promise.resolve(original) });
    const clone = response.clone();
    for (const one of [response, clone, clone.clone()]) {
      expect([one.url, one.redirected, one.type]).toEqual(['http://localhost/end', true, 'basic']);
    }
    await expect(response.json()).resolves.toEqual({ a: 1 });
    await expect(clone.json()).resolves.toEqual({ a: 1 });
  });

  it('without a body is the original, and the token is let go at once', async () => {
    const original = new Response(null, { status: 204 });
    let signal: AbortSignal | undefined;
    const person = new CancellationTokenSource({ clock });
    const impl: typeof fetch = (_input, init) => {
      signal = init?.signal ?? undefined;
      return Promise.resolve(original);
    };
    expect(await cancellableFetch(url, { token: person.token, timeoutMs: 50, fetch: impl })).toBe(original);
    person.cancel('user');
    expect(signal?.aborted).toBe(false);
  });

  it('takes views of pooled memory and empty chunks as they come', async () => {
    const chunks = [Buffer.from('a'), new Uint8Array(0), Buffer.from('b')];
    const body = new ReadableStream<Uint8Array>({
      pull: (own) => {
        const chunk = chunks.shift();
        if (chunk === undefined) own.close();
        else own.enqueue(chunk);
      },
    });
    const response = await cancellableFetch(url, { fetch: () => Promise.resolve(new Response(body)) });
    await expect(response.text()).resolves.toBe('ab');
  });

  it('can be read into a buffer of one’s own', async () => {
    const { server, call } = setUp();
    server.send('hello');
    server.end();
    const reader = (await call()).body?.getReader({ mode: 'byob' });
    const { value } = (await reader?.read(new Uint8Array(8))) ?? {};
    expect(new TextDecoder().decode(value)).toBe('hello');
    await expect(reader?.read(new Uint8Array(8))).resolves.toMatchObject({ done: true });
  });
});

describe('a cancel', () => {
  it('before the call sends nothing', async () => {
    const { person, server, call } = setUp();
    person.cancel('user');
    await expect(call()).rejects.toBe(person.signal.reason);
    expect(server.state.calls).toBe(0);
  });

  it('before the headers rejects, also if `fetch` is deaf, and drops the late response', async () => {
    const { person, server } = setUp();
    const late = deferred<Response>();
    const call = cancellableFetch(url, { token: person.token, fetch: () => late.promise });
    const outcome = expect(call).rejects.toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
    person.cancel('user');
    await outcome;
    late.resolve(await server.fetch(url));
    await clock.advance(0);
    expect(server.state.bodyCancelled).toBe(true);
  });

  it('in the body errors it at once with the token’s own error', async () => {
    const { person, server, call } = setUp();
    const response = await call();
    const text = response.text().catch((error: unknown) => error);
    server.send('half');
    await clock.advance(0);
    person.cancel('user');
    const error = await text;
    expect(error).toBe(person.signal.reason);
    expect(error).toBeInstanceOf(CancelledError);
    await clock.advance(0);
    expect([server.state.signal?.aborted, server.state.bodyCancelled]).toEqual([true, true]);
  });

  it('before anybody read the body errors it too', async () => {
    const { person, server, call } = setUp();
    const response = await call();
    server.send('there already');
    person.cancel('user');
    await expect(response.text()).rejects.toBe(person.signal.reason);
  });

  it('is heard by a reader that only waits for the end', async () => {
    const { person, call } = setUp();
    const closed = (await call()).body?.getReader().closed;
    const outcome = expect(closed).rejects.toMatchObject({ reason: { kind: 'user' } });
    person.cancel('user');
    await outcome;
  });

  it('in the tick of the response gives the response, with its body cut', async () => {
    const { person, server } = setUp({ status: 201 });
    const answer = deferred<Response>();
    const call = cancellableFetch(url, { token: person.token, fetch: () => answer.promise });
    answer.resolve(await server.fetch(url));
    person.cancel('user');
    const response = await call;
    expect(response.status).toBe(201);
    await expect(response.text()).rejects.toBe(person.signal.reason);
    expect(server.state.bodyCancelled).toBe(true);
  });

  it('by the plain `signal` option works alone and beside the token', async () => {
    for (const withToken of [true, false]) {
      const { person, server } = setUp();
      const controller = new AbortController();
      const token = withToken ? person.token : undefined;
      const response = await cancellableFetch(url, { token, signal: controller.signal, fetch: server.fetch });
      controller.abort();
      await expect(response.text()).rejects.toMatchObject({ name: 'AbortError' });
    }
  });

  it('by a Request’s own signal works, unless `signal: null` takes it off', async () => {
    const controller = new AbortController();
    const request = new Request(url, { signal: controller.signal });
    const { server } = setUp();
    const deafServer = fakeFetch();
    const response = await cancellableFetch(request, { fetch: server.fetch });
    const deaf = await cancellableFetch(request, { fetch: deafServer.fetch, signal: null });
    controller.abort();
    await expect(response.text()).rejects.toMatchObject({ name: 'AbortError' });
    deafServer.end();
    await expect(deaf.text()).resolves.toBe('');
  });
});

describe('limits', () => {
  it.each([
    ['timeoutMs', 'deadline'],
    ['idleMs', 'idle'],
  ])('%s passes before the headers', async (option, kind) => {
    const silent: typeof fetch = () => new Promise(() => undefined);
    const person = new CancellationTokenSource({ clock });
    const call = cancellableFetch(url, { token: person.token, [option]: 30, fetch: silent });
    const outcome = expect(call).rejects.toMatchObject({ name: 'TimeoutError', limitMs: 30, reason: { kind } });
    await clock.advance(30);
    await outcome;
  });

  it('timeoutMs counts to the last byte', async () => {
    const { person, server, call } = setUp();
    const text = (await call({ timeoutMs: 30 })).text().catch((error: unknown) => error);
    await clock.advance(20);
    server.send('moving');
    await clock.advance(10);
    expect(await text).toBeInstanceOf(DeadlineExceededError);
    expect(person.isCancelled).toBe(false);
  });

  it('idleMs starts again with each chunk and rests while nobody reads', async () => {
    const { server, call } = setUp();
    const response = await call({ idleMs: 30 });
    await clock.advance(1000);
    const reader = response.body?.getReader();
    for (const chunk of ['a', 'b']) {
      const read = reader?.read();
      await clock.advance(29);
      server.send(chunk);
      expect((await read)?.done).toBe(false);
    }
    const last = expect(reader?.read()).rejects.toMatchObject({ name: 'TimeoutError', limitMs: 30 });
    await clock.advance(30);
    await last;
  });

  it('are gone with the end of the body', async () => {
    const { server, call } = setUp();
    const response = await call({ timeoutMs: 30, idleMs: 30 });
    server.end();
    await response.text();
    expect(clock.pending).toBe(0);
  });
});

it('passes failures of `fetch` and of the body through', async () => {
  const failure = new TypeError('bad address');
  await expect(cancellableFetch(url, { fetch: () => Promise.reject(failure) })).rejects.toBe(failure);
  const { server, call } = setUp();
  const text = expect((await call()).text()).rejects.toBe(failure);
  server.fail(failure);
  await text;
  expect(server.state.signal?.aborted).toBe(true);
});

it('cancels the source when the reader does', async () => {
  const { server, call } = setUp();
  const response = await call({ timeoutMs: 30 });
  await response.body?.cancel();
  expect([server.state.bodyCancelled, clock.pending]).toEqual([true, 0]);
});

it('lets the token go at the end of the body: a later cancel fires nothing', async () => {
  const { person, server, call } = setUp();
  const response = await call();
  server.end();
  await response.text();
  person.cancel('user');
  expect(server.state.signal?.aborted).toBe(false);
});

it('passes the rest of the init on, and nothing of ours', async () => {
  const impl = vi.fn<typeof fetch>(() => Promise.resolve(new Response(null)));
  await cancellableFetch(url, {
    method: 'POST',
    body: 'x',
    timeoutMs: 60_000,
    idleMs: 60_000,
    token: null,
    fetch: impl,
  });
  expect(Object.keys(impl.mock.calls[0]?.[1] ?? {}).sort()).toEqual(['body', 'method', 'signal']);
});

it.each([
  [{ fetch: 'x' }, 'fetch must be a function, got "x"'],
  [{ idleMs: -1 }, 'idleMs must be 0 or more milliseconds, got -1'],
  [{ timeoutMs: Number.NaN }, 'timeoutMs must be 0 or more milliseconds, got NaN'],
  [{ token: 5 }, 'a token must be a CancellationToken or an AbortSignal, got 5'],
])('refuses %o', async (init, message) => {
  await expect(cancellableFetch(url, init as never)).rejects.toThrow(message);
});
