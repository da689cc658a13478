import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect as connect2, createServer as createServer2 } from 'node:http2';
import { connect, type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';

import { isClosed, type ClosableResponse } from '../../../src/adapters/http-request/closed-response.ts';
import { fromRequest } from '../../../src/adapters/http-request/index.ts';
import type { RequestLike } from '../../../src/adapters/http-request/from-request.ts';

/** What a real server says of a response, before and after its client has left. */
async function leave(version: 1 | 2) {
  const server = version === 1 ? createServer() : createServer2();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const asked = once(server, 'request') as Promise<[RequestLike, ClosableResponse & NodeJS.EventEmitter]>;
  const client = version === 1 ? connect(port, '127.0.0.1') : connect2(`http://127.0.0.1:${String(port)}`);
  onTestFinished(async () => {
    client.destroy();
    server.close();
    await once(server, 'close');
  });
  if ('request' in client) client.request({ ':path': '/' }).on('error', () => undefined);
  else client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [request, response] = await asked;
  const before = isClosed(response);
  const closed = once(response, 'close');
  client.destroy();
  await closed;
  await new Promise((resolve) => setImmediate(resolve));
  return { before, request, response };
}

it.each([1, 2] as const)('a response of HTTP/%d is closed once its client has left', async (version) => {
  const { before, response } = await leave(version);
  expect([before, isClosed(response)]).toEqual([false, true]);
});

it.each([1, 2] as const)(
  'a request of HTTP/%d whose client left before it was looked at is cancelled',
  async (version) => {
    const { request, response } = await leave(version);
    using source = fromRequest(request, { disconnect: 'cancel', response: response as never });
    expect(source.reason?.kind).toBe('disconnect');
  },
);
