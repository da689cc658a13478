import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { cancellableIterable } from '../../src/adapters/async-iterator/index.ts';
import { cancellableFetch } from '../../src/adapters/fetch/index.ts';
import { isCancellation } from '../../src/core/foundation/classify/classify.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { limitMs } from '../support/limit.ts';

let server: Server;

afterEach(async () => {
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
});

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('fetch on a real network', () => {
  it('S09 a pause of 60 s ends within 20 ms of a cancel, and nothing is sent again', async () => {
    let requests = 0;
    const refused = deferred();
    const url = await serve((_request, response) => {
      requests += 1;
      response.writeHead(503, { 'retry-after': '60' }).end('busy');
      response.once('finish', () => refused.resolve());
    });
    const person = new CancellationTokenSource();
    const call = cancellableFetch(url, { token: person.token, retry: 5 }).catch((error: unknown) => error);
    await refused.promise;
    await new Promise((resolve) => setTimeout(resolve, 50));
    const startedAt = performance.now();
    person.cancel('user');
    expect(await call).toBe(person.signal.reason);
    expect(performance.now() - startedAt).toBeLessThan(limitMs(20));
    expect(requests).toBe(1);
  });

  it('heeds Retry-After, and what it gets in the end is the answer', async () => {
    const times: number[] = [];
    const url = await serve((_request, response) => {
      times.push(performance.now());
      if (times.length === 1) response.writeHead(429, { 'retry-after': '1' }).end();
      else response.end('fine');
    });
    await expect((await cancellableFetch(url, { retry: 2 })).text()).resolves.toBe('fine');
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(950);
  });

  it('a cancel after a redirect reaches the socket of where it led', async () => {
    const gone = deferred();
    const url = await serve((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/end' }).end();
      else {
        response.write('half');
        response.once('close', () => gone.resolve());
      }
    });
    const person = new CancellationTokenSource();
    const response = await cancellableFetch(url, { token: person.token });
    expect([response.redirected, response.url]).toEqual([true, `${url}/end`]);
    const text = response.text();
    person.cancel('user');
    await expect(text).rejects.toBe(person.signal.reason);
    await gone.promise;
  });

  it('a cancel in the middle of an upload stops its producer, and the server sees the close', async () => {
    const [arrived, gone] = [deferred(), deferred()];
    const url = await serve((request) => {
      request.once('data', () => arrived.resolve());
      request.once('error', () => gone.resolve());
    });
    const stopped = deferred();
    const body = new ReadableStream({
      pull: async (own) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        own.enqueue(new Uint8Array(1000));
      },
      cancel: () => stopped.resolve(),
    });
    const person = new CancellationTokenSource();
    const call = cancellableFetch(url, { method: 'POST', body, token: person.token }).catch((error: unknown) => error);
    await arrived.promise;
    person.cancel('user');
    expect(await call).toBe(person.signal.reason);
    await Promise.all([stopped.promise, gone.promise]);
  });
});

it('S35 1,000 cancels in the worst places: nothing unhandled, every callback runs', async () => {
  const url = await serve((_request, response) => void response.write('half'));
  const broken = () => Promise.reject(new Error('cannot close'));
  const heard: unknown[] = [];
  let ran = 0;
  for (let n = 0; n < 1000; n += 1) {
    const person = new CancellationTokenSource({ onCallbackError: (error) => heard.push(error) });
    const { token } = person;
    token.onCancelled(() => {
      throw new Error('bad callback');
    });
    token.onCancelled(() => void (ran += 1));
    const works: Promise<unknown>[] = [];
    if (n % 50 === 0) works.push(cancellableFetch(url, { token }).then((response) => response.text()));
    const body = new ReadableStream({ cancel: broken });
    works.push(
      cancellableFetch(url, { token, fetch: () => Promise.resolve(new Response(body)) }).then((r) => r.text()),
    );
    works.push(cancellableFetch(url, { token, fetch: () => new Promise((_resolve, reject) => setImmediate(reject)) }));
    const options = {
      graceMs: 0,
      onCut: () => {
        throw new Error('bad onCut');
      },
    };
    works.push(cancellableIterable(token, new ReadableStream({ cancel: broken }), options).next());
    works.push(
      cancellableIterable(token, { next: () => new Promise<never>(() => undefined), return: broken }, options).next(),
    );
    const settled = Promise.allSettled(works);
    if (n % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
    person.cancel('user');
    for (const result of await settled) {
      // What failed in the tick of the cancel is a failure still; all else is this cancel.
      if (result.status === 'rejected' && result.reason !== undefined) {
        expect(isCancellation(result.reason, token)).toBe(true);
      }
    }
  }
  expect([ran, heard.length]).toEqual([1000, 3000]);
});
