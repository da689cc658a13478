/** node-fetch under a token: its bodies are streams of Node, its headers a class of its own. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import nodeFetch, { Request as NodeFetchRequest } from 'node-fetch';
import { expect, it, onTestFinished } from 'vitest';
import { cancellableFetch } from '../../src/adapters/fetch/index.ts';
import { CancellationTokenSource, delay } from '../../src/index.ts';
import { limitMs } from '../support/limit.ts';

const ours = nodeFetch as unknown as typeof fetch;

/** Drips for as long as somebody reads; says what became of its request. */
async function dripping() {
  const seen = { closed: false, received: 0, uploadEnded: false };
  const server = createServer((request, response) => {
    request.on('data', ({ length }: Buffer) => (seen.received += length));
    request.on('close', () => (seen.uploadEnded = true));
    if (request.method === 'POST') return;
    response.writeHead(200, { 'x-a': '1', 'set-cookie': ['a=1', 'b=2'] });
    const timer = setInterval(() => response.write('x'), 5);
    response.on('close', () => {
      clearInterval(timer);
      seen.closed = true;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  );
  return { seen, url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` };
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition() && tries < 200; tries++) await delay(undefined, 10);
  expect(condition()).toBe(true);
}

it('a stop of a half-read body rejects at once, and the download ends', async () => {
  const { seen, url } = await dripping();
  const stop = new CancellationTokenSource();
  const response = await cancellableFetch(url, { token: stop.token, fetch: ours });
  expect([response.status, response.headers.get('x-a'), response.headers.getSetCookie()]).toEqual([
    200,
    '1',
    ['a=1', 'b=2'],
  ]);
  const reading = response.text().catch((error: unknown) => error);
  await delay(undefined, 40);
  stop.cancel('user');
  expect(await reading).toBe(stop.signal.reason);
  await until(() => seen.closed);
});

it('a limit passes during its body as well', async () => {
  const { seen, url } = await dripping();
  const response = await cancellableFetch(url, { timeoutMs: limitMs(200), fetch: ours });
  await expect(response.text()).rejects.toMatchObject({ name: 'TimeoutError' });
  await until(() => seen.closed);
});

it.each([
  ['node-fetch', ours],
  ['the global fetch', fetch],
])('an upload from a stream of Node to %s is destroyed with a stop', async (_name, impl) => {
  const { seen, url } = await dripping();
  const stop = new CancellationTokenSource();
  const body = new Readable({ read: () => undefined });
  body.push('hello');
  const sending = cancellableFetch(url, { method: 'POST', body: body as never, token: stop.token, fetch: impl });
  await until(() => seen.received > 0);
  stop.cancel('user');
  await expect(sending).rejects.toBe(stop.signal.reason);
  expect(body.destroyed).toBe(true);
  await until(() => seen.uploadEnded);
});

it('an upload from an async generator runs its finally with a stop', async () => {
  const { seen, url } = await dripping();
  const stop = new CancellationTokenSource();
  let hasEnded = false;
  let chunks = 0;
  const body = (async function* () {
    try {
      for (;;) {
        await delay(undefined, 5);
        chunks++;
        yield new Uint8Array(10);
      }
    } finally {
      hasEnded = true;
    }
  })();
  const sending = cancellableFetch(url, { method: 'POST', body: body as never, token: stop.token });
  await until(() => seen.received > 20);
  stop.cancel('user');
  await expect(sending).rejects.toBe(stop.signal.reason);
  await until(() => hasEnded);
  const atEnd = chunks;
  await delay(undefined, 50);
  expect(chunks).toBe(atEnd);
});

it('a request of its own class is what it says: a POST is sent once, and its signal is heard', async () => {
  let received = 0;
  const server = createServer((request, response) => {
    received++;
    if (request.url === '/silent') return;
    response.writeHead(500).end('no');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const retry = { attempts: 3, backoff: 1 };
  const pay = new NodeFetchRequest(url, { method: 'POST', body: 'pay' }) as unknown as Request;
  expect((await cancellableFetch(pay, { fetch: ours, retry })).status).toBe(500);
  expect(received).toBe(1);

  const stop = new AbortController();
  const silent = new NodeFetchRequest(`${url}/silent`, { signal: stop.signal }) as unknown as Request;
  const waiting = cancellableFetch(silent, { fetch: ours, timeoutMs: 5_000 });
  await until(() => received === 2);
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
});
