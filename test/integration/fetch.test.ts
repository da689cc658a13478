import { getEventListeners } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { cancellableFetch } from '../../src/adapters/fetch/index.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import type { TokenLike } from '../../src/core/token/cancellation-token.ts';
import { startModelServer, type ModelServer } from '../../src/testing/model-server/index.ts';
import { limitMs } from '../support/limit.ts';

const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Go.' }] });
const words = 'word '.repeat(200);

let server: ModelServer;

afterEach(() => server.close());

function post(token: TokenLike, limits: { timeoutMs?: number; idleMs?: number } = {}): Promise<Response> {
  return cancellableFetch(`${server.url}/v1/chat/completions`, { method: 'POST', body, token, ...limits });
}

async function collectGarbage(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    (globalThis as unknown as { gc: () => void }).gc();
  }
}

it('S15 a cancel reaches the socket of a body that is half-way', async () => {
  server = await startModelServer({ script: [{ text: words, chunkMs: 20 }] });
  const person = new CancellationTokenSource();
  const response = await post(person.token);
  expect([response.url, response.status]).toEqual([`${server.url}/v1/chat/completions`, 200]);
  const reader = response.body?.getReader();
  await reader?.read();
  await collectGarbage(3); // the host's own response object may be gone by now
  person.cancel('user');
  await expect(reader?.read()).rejects.toBe(person.signal.reason);
  const { finishedAt } = await server.waitFor(({ requests }) => requests.find(({ closedEarly }) => closedEarly));
  expect(finishedAt).toBeUndefined();
});

it('S10 a body that falls silent is an idle limit of this call', async () => {
  server = await startModelServer({ script: [{ text: words, silentAfter: 2 }] });
  const person = new CancellationTokenSource();
  const response = await post(person.token, { idleMs: limitMs(200) });
  await expect(response.text()).rejects.toMatchObject({
    name: 'TimeoutError',
    limitMs: limitMs(200),
    reason: { kind: 'idle' },
  });
  expect(person.isCancelled).toBe(false);
  await server.waitFor(({ requests }) => requests[0]?.closedEarly);
});

it('a server that never answers is a deadline of this call', async () => {
  server = await startModelServer({ script: [{ silent: true }] });
  await expect(post(new CancellationTokenSource().token, { timeoutMs: limitMs(200) })).rejects.toMatchObject({
    name: 'TimeoutError',
    reason: { kind: 'deadline' },
  });
  await server.waitFor(({ requests }) => requests[0]?.closedEarly);
});

it('S34 100 calls leave no listener on the session’s signal', async () => {
  server = await startModelServer({ script: () => 'short answer' });
  const session = new AbortController();
  for (let call = 0; call < 100; call += 1) await (await post(session.signal)).text();
  expect(getEventListeners(session.signal, 'abort')).toHaveLength(0);
});

it('a response that is forgotten lets its connection and its token go', async () => {
  server = await startModelServer({ script: [{ text: words, silentAfter: 3 }] });
  const session = new AbortController();
  await (async () => {
    await (await post(session.signal)).body?.getReader().read();
  })();
  for (let round = 0; round < 60 && server.requests[0]?.closedEarly !== true; round += 1) await collectGarbage(1);
  await server.waitFor(({ requests }) => requests[0]?.closedEarly);
  expect(getEventListeners(session.signal, 'abort')).toHaveLength(0);
});

it.each([
  [600, 'Odd'],
  [999, 'Request denied'],
  [200, 'Grüße'],
])('an answer %i %s, which no response can be made with, comes through with its body', async (status, text) => {
  const answer = `HTTP/1.1 ${String(status)} ${text}\r\ncontent-length: 3\r\nconnection: close\r\n\r\nwhy`;
  // Not Node's server of HTTP, which refuses to say such things.
  const raw = createServer((socket) => socket.once('data', () => socket.end(answer, 'latin1')));
  server = await startModelServer({ script: [] });
  await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String((raw.address() as AddressInfo).port)}`;
  const bare = await fetch(url);
  const response = await cancellableFetch(url);
  expect(response).toBeInstanceOf(Response);
  expect(response.status).toBe(status);
  for (const each of [response, response.clone()]) {
    expect([each.status, each.statusText, each.ok]).toEqual([bare.status, bare.statusText, bare.ok]);
    expect(await each.text()).toBe('why');
  }
  await bare.text();
  await new Promise((resolve) => raw.close(resolve));
});

it('an upload that is answered early hears that the call has ended, whatever it is', async () => {
  server = await startModelServer({ script: [] }); // for the others to close
  const early = createHttpServer((_request, response) => response.writeHead(413).end('too large'));
  await new Promise<void>((resolve) => early.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    early.closeAllConnections();
    await new Promise((resolve) => early.close(resolve));
  });
  const url = `http://127.0.0.1:${String((early.address() as AddressInfo).port)}`;
  const pause = () => new Promise((resolve) => setTimeout(resolve, 5));
  const heard = new Set<string>();
  const web = new ReadableStream({
    pull: async (own) => {
      await pause();
      own.enqueue(new Uint8Array(10));
    },
    cancel: () => void heard.add('web stream'),
  });
  async function* generator() {
    try {
      for (;;) {
        await pause();
        yield 'x';
      }
    } finally {
      heard.add('generator');
    }
  }
  const node = new Readable({ read: () => void pause().then(() => node.push('x')) });
  node.on('close', () => heard.add('stream of Node'));
  for (const sent of [web, generator(), node]) {
    const response = await cancellableFetch(url, { method: 'POST', body: sent as never });
    expect([response.status, await response.text()]).toEqual([413, 'too large']);
  }
  await expect.poll(() => [...heard].sort()).toEqual(['generator', 'stream of Node', 'web stream']);
});
