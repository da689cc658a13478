import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect as connect2, constants, createServer as createServer2, type Http2ServerResponse } from 'node:http2';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';

import { statusHandler } from '../../../../src/adapters/http-request/status-stream/status-handler.ts';
import type { StatusHandlerOptions } from '../../../../src/adapters/http-request/status-stream/status-options.ts';
import { SessionRegistry } from '../../../../src/sessions/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

/** A real server with the route on it. */
async function serve(options: Partial<StatusHandlerOptions> = {}) {
  const clock = new VirtualClock();
  const sessions = new SessionRegistry({ clock });
  const { node } = statusHandler(sessions, { authorize: (_, id) => id.startsWith('a'), clock, ...options });
  const responses: ServerResponse[] = [];
  const server = createServer((request, response) => {
    responses.push(response);
    node(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return { clock, sessions, node, port, responses, url: `http://127.0.0.1:${String(port)}` };
}

/** A reader's texts, until they hold what is waited for. */
async function readUntil(reader: ReadableStreamDefaultReader<string>, wanted: string): Promise<string> {
  let text = '';
  while (!text.includes(wanted)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`ended after ${text}`);
    text += value;
  }
  return text;
}

describe('events of a Node server', () => {
  it('events of a Node server arrive as they happen, and end with the run', async () => {
    const { clock, sessions, url } = await serve();
    sessions.open('a');
    const { body, headers } = await fetch(`${url}/runs/a/status?x=1`);
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const reader = (body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader();
    await readUntil(reader, '"state":"open"');
    await sessions.close('a');
    await clock.advance(1_000);
    await readUntil(reader, 'event: closed');
    expect((await reader.read()).done).toBe(true);
    expect(clock.pending).toBe(0);
    expect((await fetch(`${url}/runs/b/status`)).status).toBe(404);
  });

  it('events of a Node server leave nothing behind when their client leaves', async () => {
    const { clock, sessions, url, responses } = await serve();
    sessions.open('a');
    const client = new AbortController();
    const { body } = await fetch(`${url}/runs/a/status`, { signal: client.signal });
    const reader = (body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader();
    await readUntil(reader, 'open');
    const [response] = responses as [ServerResponse];
    const closed = once(response, 'close');
    client.abort();
    await reader.read().catch(() => undefined);
    await closed;
    expect([clock.pending, response.listenerCount('drain')]).toEqual([0, 0]);
  });

  it('events of a Node server pile up for no deaf client, which is cut off when its time is over', async () => {
    let round = 0;
    const { clock, sessions, port, responses } = await serve({
      describe: () => ({ doing: String(round++).repeat(200_000).slice(0, 200_000) }),
    });
    sessions.open('a');
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => {
      socket.destroy();
    });
    socket.pause();
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write('GET /runs/a/status HTTP/1.1\r\nhost: x\r\n\r\n');
    while (responses.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const [response] = responses as [ServerResponse];
    while (!response.headersSent) await new Promise((resolve) => setImmediate(resolve));
    let most = 0;
    for (let n = 0; n < 100; n++) {
      await clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, response.writableLength);
    }
    expect(round).toBe(101);
    expect(most).toBeLessThan(1_000_000);
    const closed = once(response, 'close');
    await clock.advance(300_000);
    await closed;
    expect([response.destroyed, clock.pending]).toEqual([true, 0]);
  });

  it('events over HTTP/2 leave nothing behind when their client leaves while it is authorised', async () => {
    const clock = new VirtualClock();
    const asked = deferred<undefined>();
    const allowed = deferred<boolean>();
    const given: string[] = [];
    const authorize: StatusHandlerOptions['authorize'] = (_call, _runId, token) => {
      asked.resolve(undefined);
      token.onCancelled(({ kind }) => given.push(kind));
      return allowed.promise;
    };
    const { node } = statusHandler(new SessionRegistry({ clock }), { authorize, clock, mostStreams: 1 });
    const responses: Http2ServerResponse[] = [];
    const server = createServer2((request, response) => {
      responses.push(response);
      node(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect2(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
    onTestFinished(async () => {
      client.destroy();
      server.close();
      await once(server, 'close');
    });
    const leaving = client.request({ ':path': '/runs/a/status' });
    leaving.on('error', () => undefined);
    await asked.promise;
    const [response] = responses as [Http2ServerResponse];
    const closed = once(response, 'close');
    leaving.close(constants.NGHTTP2_CANCEL);
    await closed;
    expect(given).toEqual(['disconnect']);
    allowed.resolve(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect([clock.pending, response.listenerCount('close'), response.listenerCount('drain')]).toEqual([0, 0, 0]);
    const staying = client.request({ ':path': '/runs/a/status' });
    const [{ ':status': status }] = (await once(staying, 'response')) as [{ ':status': number }];
    expect(status).toBe(200);
    staying.close();
    await once(responses[1] as Http2ServerResponse, 'close');
    expect(clock.pending).toBe(0);
  });

  it('events of a Node server leave other paths to whoever comes next', async () => {
    const { node, sessions } = await serve();
    let next = 0;
    node({ url: '/other', headers: {}, socket: {}, resume: () => undefined }, {} as never, () => next++);
    expect(next).toBe(1);
    await sessions.drain({ timeoutMs: 0 });
  });
});
