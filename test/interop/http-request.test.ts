import {
  createServer,
  request as open,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { connect as connect2, createServer as createServer2 } from 'node:http2';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';

import {
  fromRequest,
  type FromRequestOptions,
  type RequestLike,
} from '../../src/adapters/http-request/from-request.ts';
import { fromWebSocket } from '../../src/adapters/http-request/from-web-socket.ts';
import type { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { load } from './newest/load.ts';

/** Published without types; this much of it is used. */
interface Express {
  (): {
    use(handler: unknown): void;
    post(path: string, handler: (request: RequestLike, response: ServerResponse) => Promise<void>): void;
  };
  text(): unknown;
}
const { default: express } = (await load('express')) as { readonly default: Express };
const { default: fastify } = (await load('fastify')) as typeof import('fastify');
const { Hono } = (await load('hono')) as typeof import('hono');
const { getRequestListener } = (await load('@hono/node-server')) as typeof import('@hono/node-server');
const { WebSocket, WebSocketServer } = (await load('ws')) as typeof import('ws');

/** What a handler does with a request: makes its source, and says when to answer. */
type Handle = (request: RequestLike) => Promise<string>;

/** Each server with one route that reads its body, hands the request on, and answers with what comes back. */
const servers: Record<string, (handle: Handle) => Promise<RequestListener>> = {
  'Node HTTP': (handle) =>
    Promise.resolve((request, response) => {
      request.resume().once('end', () => void handle(request).then((text) => response.end(text)));
    }),
  Express: (handle) => {
    const app = express();
    app.use(express.text());
    app.post('/', async (request, response) => {
      response.end(await handle(request));
    });
    return Promise.resolve(app as unknown as RequestListener);
  },
  Fastify: async (handle) => {
    const app = fastify();
    app.post('/', (request) => handle(request));
    await app.ready();
    return (request, response) => app.routing(request, response);
  },
  Hono: (handle) => {
    const app = new Hono();
    app.post('/', async (context) => {
      await context.req.text();
      return context.text(await handle(context.req));
    });
    return Promise.resolve(getRequestListener(app.fetch) as RequestListener);
  },
  'a Fetch handler': (handle) =>
    Promise.resolve(getRequestListener(async (request) => new Response(await handle(request))) as RequestListener),
};

let close: () => Promise<void> = () => Promise.resolve();
afterEach(() => close());

async function serve(name: string, options: FromRequestOptions) {
  const [made, answer] = [deferred<CancellationTokenSource>(), deferred<string>()];
  const listener = await servers[name]!((request) => {
    made.resolve(fromRequest(request, options));
    return answer.promise;
  });
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const { port } = server.address() as AddressInfo;
  const response = deferred<IncomingMessage>();
  const headers = { 'content-type': 'text/plain' };
  const client = open({ port, path: '/', method: 'POST', headers, agent: false }, (got) => response.resolve(got));
  const gone = new Promise<void>((resolve) => client.once('close', resolve));
  client.on('error', () => {});
  client.end('go');
  const source = await made.promise;
  const closeServer = close;
  close = () => {
    source.release();
    return closeServer();
  };
  return { source, answer, response, client, gone, server };
}

/** Long enough for a server to have heard of what happened on its socket. */
const moment = () => new Promise((resolve) => setTimeout(resolve, 100));

describe.each(Object.keys(servers))('%s', (name) => {
  it('S32 a client that leaves stops nothing by default', async () => {
    const { source, client, gone, answer } = await serve(name, {});
    client.destroy();
    await gone;
    await moment();
    expect(source.isCancelled).toBe(false);
    answer.resolve('to nobody');
    expect(source.cancel('user')).toBe(true); // and can be stopped still
  });

  it('a client that leaves stops its request where that is configured', async () => {
    const { source, client, answer } = await serve(name, { disconnect: 'cancel' });
    client.destroy();
    await expect(source.token.whenCancelled()).resolves.toMatchObject({ kind: 'disconnect' });
    answer.resolve('to nobody');
  });

  it('an answer that was sent is no disconnect', async () => {
    const { source, answer, response, gone } = await serve(name, { disconnect: 'cancel' });
    answer.resolve('all of it');
    let text = '';
    for await (const piece of await response.promise) text += String(piece);
    await gone;
    await moment();
    expect([text, source.isCancelled]).toEqual(['all of it', false]);
  });
});

describe('a connection that carries several requests', () => {
  /** A server that answers each request with its number, after what `answer` waits for. */
  async function pipeline(answer: (n: number) => Promise<unknown>, when: 'before' | 'after' = 'before') {
    const sources: CancellationTokenSource[] = [];
    const server = createServer((request, response) => {
      const n = sources.length;
      if (when === 'before') sources.push(fromRequest(request, { disconnect: 'cancel', timeoutMs: 60_000 }));
      void answer(n).then(() => {
        response.end(String(n));
        if (when === 'after')
          response.once('close', () => sources.push(fromRequest(request, { disconnect: 'cancel' })));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = connect((server.address() as AddressInfo).port);
    close = () =>
      new Promise((resolve) => {
        for (const source of sources) source.release();
        client.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      });
    const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
    let text = '';
    client.on('data', (piece) => (text += String(piece)));
    client.write(get + get + get);
    return { sources, client, answers: () => text.split('200 OK').length - 1 };
  }

  it('pipelined: an answered request is not cancelled when the connection closes later, one without an answer is', async () => {
    const { sources, client, answers } = await pipeline((n) => (n === 2 ? new Promise(() => {}) : moment()));
    await expect.poll(answers).toBe(2);
    client.destroy();
    await expect.poll(() => sources[2]?.reason?.kind).toBe('disconnect');
    await moment();
    expect(sources.map(({ reason }) => reason?.kind)).toEqual([undefined, undefined, 'disconnect']);
  });

  it('pipelined: who waits behind a request that is never answered hears of a disconnect, too', async () => {
    const { sources, client } = await pipeline(() => new Promise(() => {}));
    await expect.poll(() => sources.length).toBe(3);
    client.destroy();
    await expect.poll(() => sources.map(({ reason }) => reason?.kind)).toEqual(Array(3).fill('disconnect'));
  });

  it('a source that is made after the answer hears of no disconnect', async () => {
    const { sources, client, answers } = await pipeline(() => Promise.resolve(), 'after');
    await expect.poll(() => [answers(), sources.length]).toEqual([3, 3]);
    client.destroy();
    await moment();
    expect(sources.map(({ isCancelled }) => isCancelled)).toEqual([false, false, false]);
  });

  it('a source is released by the end of its answer: its limit is not left behind', async () => {
    const { sources, answers } = await pipeline(() => Promise.resolve());
    await expect.poll(answers).toBe(3);
    await moment();
    expect(sources.map((source) => source.cancel('user'))).toEqual([false, false, false]);
  });

  it('HTTP/2: refuses a request without its response, and hears with it which one was answered', async () => {
    const errors: unknown[] = [];
    const sources: CancellationTokenSource[] = [];
    const server = createServer2((request, response) => {
      try {
        fromRequest(request, { disconnect: 'cancel' });
      } catch (error) {
        errors.push((error as Error).message);
      }
      sources.push(fromRequest(request, { disconnect: 'cancel', response }));
      if (request.url === '/answered') response.end('ok');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = connect2(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
    const answered = client.request({ ':path': '/answered' });
    answered.resume();
    await new Promise((resolve) => answered.once('close', resolve));
    client.request({ ':path': '/open' }).on('error', () => {});
    await expect.poll(() => sources.length).toBe(2);
    client.destroy();
    await expect.poll(() => sources[1]?.reason?.kind).toBe('disconnect');
    expect([sources[0]?.isCancelled, errors]).toEqual([
      false,
      Array(2).fill('an HTTP/2 request needs its response: fromRequest(request, { response })'),
    ]);
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
});

it('ws: a message stops, a disconnect only where it is configured', async () => {
  const wss = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const connected = deferred<CancellationTokenSource[]>();
  wss.on('connection', (socket) => {
    const readStop = (data: unknown) => data === 'stop' && { kind: 'user' as const, by: 'ada' };
    connected.resolve([
      fromWebSocket(socket, { readStop }),
      fromWebSocket(socket),
      fromWebSocket(socket, { disconnect: 'cancel' }),
    ]);
  });
  await new Promise((resolve) => wss.once('listening', resolve));
  const client = new WebSocket(`ws://127.0.0.1:${(wss.address() as AddressInfo).port}`);
  client.on('open', () => {
    client.send('go on');
    client.send('stop');
  });
  const [stopped, stays, goes] = await connected.promise;
  await expect(stopped?.token.whenCancelled()).resolves.toMatchObject({ kind: 'user', by: 'ada' });
  expect([stays?.isCancelled, goes?.isCancelled]).toEqual([false, false]);
  client.terminate();
  await expect(goes?.token.whenCancelled()).resolves.toMatchObject({ kind: 'disconnect' });
  expect(stays?.isCancelled).toBe(false);
  await new Promise((resolve) => wss.close(resolve));
});
