import { getEventListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cancellableIterable, sharedStream } from '../../src/adapters/async-iterator/index.ts';
import { cancellableFetch } from '../../src/adapters/fetch/index.ts';
import { fromRequest } from '../../src/adapters/http-request/index.ts';

let warnings: string[] = [];
const hear = (warning: Error) => void warnings.push(warning.name);
let session: AbortController;
let server: Server;
let url: string;

beforeEach(async () => {
  warnings = [];
  process.on('warning', hear);
  session = new AbortController();
  server = createServer((request, response) => request.resume().once('end', () => response.end('short answer')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterEach(async () => {
  process.off('warning', hear);
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
});

const listeners = () => getEventListeners(session.signal, 'abort').length;

async function heap(): Promise<number> {
  for (let round = 0; round < 4; round += 1) {
    (globalThis as unknown as { gc: () => void }).gc();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return process.memoryUsage().heapUsed;
}

async function* numbers() {
  yield 1;
  yield 2;
}

async function readAll(source: AsyncIterable<unknown>): Promise<void> {
  for await (const item of source) void item;
}

/** A fetch whose answers come from memory: ten thousand of the real ones would measure the sockets. */
const fromMemory: typeof fetch = (_input, init) => {
  init?.signal?.throwIfAborted();
  return Promise.resolve(new Response('short answer'));
};

const request = new Request('http://localhost/');

/** One call of each, under the session's signal. */
const adapters: Record<string, { sequential: number; call: () => Promise<unknown> }> = {
  'fetch, over the network': {
    sequential: 500,
    call: async () => (await cancellableFetch(url, { token: session.signal, idleMs: 5000 })).text(),
  },
  'fetch, from memory': {
    sequential: 10_000,
    call: async () => (await cancellableFetch(url, { token: session.signal, fetch: fromMemory, retry: 3 })).text(),
  },
  'async-iterator': { sequential: 10_000, call: () => readAll(cancellableIterable(session.signal, numbers())) },
  'async-iterator, left early': {
    sequential: 10_000,
    call: async () => {
      for await (const item of cancellableIterable(session.signal, numbers(), { idleMs: 60_000 }))
        if (item === 1) break;
    },
  },
  'async-iterator, shared': {
    sequential: 10_000,
    call: async () => {
      const shared = sharedStream(session.signal, numbers());
      await Promise.all([readAll(shared.reader()), readAll(shared.reader(session.signal))]);
    },
  },
  'http-request': {
    sequential: 10_000,
    call: async () => {
      using source = fromRequest(request, { token: session.signal, disconnect: 'cancel' });
      source.token.onCancelled(() => undefined);
      await Promise.resolve();
    },
  },
};

describe.each(Object.entries(adapters))('S34 %s', (name, { sequential, call }) => {
  it('leaves nothing behind', { timeout: 120_000 }, async () => {
    for (let n = 0; n < 200; n += 1) await call(); // compiled, and pools filled
    const before = await heap();
    let most = 0;
    for (let n = 0; n < sequential; n += 1) {
      await call();
      most = Math.max(most, listeners());
    }
    const calls = Array.from({ length: 200 }, call);
    most = Math.max(most, listeners());
    await Promise.all(calls);
    const grown = (await heap()) - before;
    expect(most).toBeLessThanOrEqual(1);
    expect(listeners()).toBe(0);
    expect(getEventListeners(request.signal, 'abort')).toHaveLength(0);
    expect(warnings).toEqual([]);
    console.log(`S34 ${name}: heap ${(grown / 1024).toFixed(0)} kB after ${String(sequential + 200)} calls`);
    expect(grown / 1024 / 1024).toBeLessThan(5);
  });
});
