import { afterEach, describe, expect, it, vi } from 'vitest';
import { cancellableFetch } from '../../../src/adapters/fetch/cancellable-fetch.ts';
import { canBeSentAgain, methodOf } from '../../../src/adapters/fetch/upload.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { tick } from '../../core/interrupt/kit.ts';

const clock = new VirtualClock();
const url = 'http://localhost/';

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

/** A producer whose every chunk the test gives. */
function producer(cancel: () => Promise<void> | void = () => undefined) {
  let controller: ReadableStreamDefaultController<string> | undefined;
  const cancelled = vi.fn(cancel);
  const body = new ReadableStream<string>({ start: (own) => void (controller = own), cancel: cancelled });
  return {
    body: body as ReadableStream,
    cancelled,
    send: (text: string) => controller?.enqueue(text),
    end: () => controller?.close(),
  };
}

/** Reads what it is sent, and answers at its end. */
const reader: typeof fetch = async (_input, init) => {
  let text = '';
  const stream = (init?.body as ReadableStream<string>).getReader();
  for (let read = await stream.read(); !read.done; read = await stream.read()) text += read.value;
  return new Response(text);
};

describe('a streamed upload', () => {
  it('needs no duplex, and arrives whole', async () => {
    const { body, send, end } = producer();
    const server = vi.fn(reader);
    const answer = cancellableFetch(url, { method: 'POST', body, fetch: server });
    send('one ');
    send('two');
    end();
    await expect((await answer).text()).resolves.toBe('one two');
    expect(server.mock.calls[0]?.[1]).toMatchObject({ duplex: 'half' });
  });

  it('counts each chunk that is sent against idleness', async () => {
    const { body, send, end } = producer();
    const person = new CancellationTokenSource({ clock });
    const answer = cancellableFetch(url, { method: 'POST', body, token: person.token, idleMs: 30, fetch: reader });
    for (let chunk = 0; chunk < 4; chunk += 1) {
      await clock.advance(20);
      send('x');
    }
    await clock.advance(20);
    end();
    await expect((await answer).text()).resolves.toBe('xxxx');
  });

  it('tells its producer of a cancel, also under a deaf fetch, and hears when that fails', async () => {
    const { body, cancelled } = producer(() => Promise.reject(new Error('cannot close')));
    const person = new CancellationTokenSource({ clock });
    const deaf: typeof fetch = () => new Promise(() => undefined);
    const answer = cancellableFetch(url, { method: 'POST', body, token: person.token, fetch: deaf });
    await clock.advance(0);
    person.cancel('user');
    await expect(answer).rejects.toBe(person.signal.reason);
    expect(cancelled).toHaveBeenCalledTimes(1);
  });

  it('that is not begun is given back to its producer as well', async () => {
    const { body, cancelled } = producer();
    const person = new CancellationTokenSource({ clock });
    person.cancel('user');
    await expect(cancellableFetch(url, { method: 'POST', body, token: person.token })).rejects.toBe(
      person.signal.reason,
    );
    expect(cancelled).toHaveBeenCalledTimes(1);
  });

  it('goes on beside an early answer, and ends with it, or when the server wants no more', async () => {
    for (const end of ['read', 'cancelled', 'stopped', 'refused']) {
      const { body, cancelled, send } = producer();
      const person = new CancellationTokenSource({ clock });
      let sent: ReadableStreamDefaultReader<string> | undefined;
      const answer = new Response('too large', { status: 413 });
      const early: typeof fetch = (_input, init) => {
        sent = (init?.body as ReadableStream<string>).getReader();
        return Promise.resolve(answer);
      };
      const response = await cancellableFetch(url, { method: 'POST', body, token: person.token, fetch: early });
      send('more');
      expect(await sent?.read()).toMatchObject({ value: 'more' });
      expect(cancelled).not.toHaveBeenCalled();
      if (end === 'read') await response.text();
      else if (end === 'cancelled') await response.body?.cancel();
      else if (end === 'stopped') person.cancel('user');
      else await sent?.cancel();
      expect(cancelled, end).toHaveBeenCalledTimes(1);
      await response.body?.cancel().catch(() => undefined);
      expect(cancelled, end).toHaveBeenCalledTimes(1);
    }
  });

  it('ends with an answer that has no body', async () => {
    const { body, cancelled } = producer();
    const empty: typeof fetch = () => Promise.resolve(new Response(null, { status: 204 }));
    await cancellableFetch(url, { method: 'POST', body, fetch: empty });
    expect(cancelled).toHaveBeenCalledTimes(1);
  });
});

it('knows what can be sent again', () => {
  const post = (body: BodyInit | null) => new Request(url, { method: 'POST', body });
  expect([
    canBeSentAgain(url, {}),
    canBeSentAgain(url, { body: 'x' }),
    canBeSentAgain(url, { body: null }),
    canBeSentAgain(new Request(url), {}),
    canBeSentAgain(post(null), {}),
    canBeSentAgain(post('x'), {}),
    canBeSentAgain(post('x'), { body: 'y' }),
    canBeSentAgain(url, { body: new ReadableStream() }),
  ]).toEqual([true, true, true, true, true, false, true, false]);
});

it('knows the method', () => {
  expect([
    methodOf(url, {}),
    methodOf(url, { method: 'put' }),
    methodOf(new Request(url, { method: 'DELETE' }), {}),
  ]).toEqual(['GET', 'PUT', 'DELETE']);
});

describe('a producer that is told to end', () => {
  /** A `fetch` that reads what it is sent and never answers, as a proxy that holds the request. */
  const reading = (async (_input: unknown, init?: { body?: unknown; signal?: AbortSignal }) => {
    void (async () => {
      for await (const _chunk of init?.body as AsyncIterable<unknown>);
    })().catch(() => undefined);
    return await new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => {
        reject(init.signal?.reason as Error);
      });
    });
  }) as unknown as typeof fetch;

  it('an async generator runs its finally', async () => {
    const stop = new CancellationTokenSource();
    const ended = deferred();
    const started = deferred();
    const body = (async function* () {
      try {
        for (;;) {
          started.resolve();
          yield new Uint8Array(1);
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        ended.resolve();
      }
    })();
    const sending = cancellableFetch('http://x.test', {
      method: 'POST',
      body: body as never,
      token: stop.token,
      fetch: reading,
    });
    await started.promise;
    stop.cancel('user');
    await expect(sending).rejects.toBe(stop.signal.reason);
    await ended.promise;
  });

  it('an async generator arrives as bytes, also where it gives text, and is read no further than it is sent', async () => {
    let asked = 0;
    const body = (async function* () {
      for (const chunk of ['one ', new TextEncoder().encode('two '), new TextEncoder().encode('three').buffer]) {
        asked++;
        yield await Promise.resolve(chunk);
      }
    })();
    const seen: number[] = [];
    const answer = await cancellableFetch('http://x.test', {
      method: 'POST',
      body: body as never,
      fetch: async (_input, init) => {
        await new Promise(setImmediate);
        seen.push(asked);
        // A `fetch` that knows no generators would send its name.
        expect(init?.body).toBeInstanceOf(ReadableStream);
        return new Response(await new Response(init?.body).text());
      },
    });
    expect(await answer.text()).toBe('one two three');
    expect([seen, asked]).toEqual([[0], 3]);
  });

  it('each chunk of an async generator counts against idleness', async () => {
    const stop = new CancellationTokenSource({ clock });
    const asked = [deferred(), deferred(), deferred()];
    const body = (async function* () {
      for (const chunk of asked) {
        await chunk.promise;
        yield 'x';
      }
    })();
    const sent = { method: 'POST', body: body as never, token: stop.token, idleMs: 30 };
    const answer = cancellableFetch(url, {
      ...sent,
      fetch: async (_input, init) => new Response(await new Response(init?.body).text()),
    });
    for (const chunk of asked) {
      await clock.advance(20);
      chunk.resolve();
      await tick();
    }
    expect(await (await answer).text()).toBe('xxx');
  });

  it('an async generator runs its finally when the server wants no more of it', async () => {
    const ended = vi.fn();
    const body = (async function* () {
      try {
        for (;;) yield await Promise.resolve('x');
      } finally {
        ended();
      }
    })();
    const answer = await cancellableFetch(url, {
      method: 'POST',
      body: body as never,
      fetch: async (_input, init) => {
        const reader = (init?.body as ReadableStream).getReader();
        await reader.read();
        await reader.cancel();
        return new Response('enough');
      },
    });
    expect(ended).toHaveBeenCalledOnce();
    expect(await answer.text()).toBe('enough');
  });

  it('a stream of Node is destroyed, and one that was never asked is as well', async () => {
    const { Readable } = await import('node:stream');
    for (const isEarly of [true, false]) {
      const stop = new CancellationTokenSource();
      if (isEarly) stop.cancel('user');
      const body = new Readable({ read: () => undefined });
      const init = { method: 'POST', body: body as never, token: stop.token, fetch: reading };
      const sending = cancellableFetch('http://x.test', init);
      stop.cancel('user');
      await expect(sending).rejects.toBe(stop.signal.reason);
      expect(body.destroyed).toBe(true);
    }
  });
});
