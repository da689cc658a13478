import { once } from 'node:events';
import { createServer, request as open, type IncomingMessage } from 'node:http';
import { connect as connect2, createServer as createServer2, type Http2ServerRequest } from 'node:http2';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';

import { stopHandler, type StopHandlerOptions } from '../../../../src/adapters/http-request/stop-route/stop-handler.ts';
import { delay } from '../../../../src/index.ts';
import { SessionRegistry } from '../../../../src/sessions/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';

/** A real server with the route on it. */
async function serve(options: Partial<StopHandlerOptions> = {}, before?: (request: IncomingMessage) => Promise<void>) {
  const sessions = new SessionRegistry();
  const errors: unknown[] = [];
  const stop = stopHandler(sessions, {
    authorize: ({ header }, runId) => header('X-User') === 'ada' && runId.startsWith('ada') && { by: 'ada' },
    onError: (error) => errors.push(error),
    ...options,
  });
  const server = createServer((request, response) => {
    void (before?.(request) ?? Promise.resolve()).then(() => {
      stop.node(request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    await sessions.drain({ timeoutMs: 0 });
  });
  const { port } = server.address() as AddressInfo;
  const ask = async (path: string, body?: string, headers: Record<string, string> = { 'x-user': 'ada' }) => {
    const response = await fetch(`http://127.0.0.1:${String(port)}${path}`, {
      method: 'POST',
      headers,
      body: body ?? null,
    });
    return {
      code: response.status,
      body: (await response.json()) as Record<string, unknown>,
      headers: response.headers,
    };
  };
  return { ask, errors, port, sessions, stop };
}

const run = (sessions: SessionRegistry, id: string) =>
  sessions.open(id).controller.runTurn(({ token }) => delay(token, 60_000));

describe('stopHandler on a Node server', () => {
  it('stops the run, with a body or without', async () => {
    const { ask, sessions } = await serve();
    const turns = [run(sessions, 'ada-1'), run(sessions, 'ada-2')];
    const first = await ask('/runs/ada-1/cancel?x=1', '{"reason":"enough","wait":"settled"}');
    expect([first.code, first.body]).toEqual([200, expect.objectContaining({ status: 'settled' })]);
    expect((await ask('/runs/ada-2/cancel')).code).toBe(200);
    expect((await Promise.all(turns)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
  });

  it('a body that somebody has read and not kept is no stop without a body', async () => {
    const read = async (request: IncomingMessage): Promise<void> => {
      await once(request.resume(), 'end');
    };
    const { ask, sessions } = await serve({}, read);
    const turn = run(sessions, 'ada-1');
    const refused = await ask('/runs/ada-1/cancel', '{"turnId":99}');
    expect([refused.code, (await sessions.look('ada-1')).stop]).toEqual([400, undefined]);
    expect((await ask('/runs/ada-1/cancel')).code).toBe(200);
    expect((await turn).status).toBe('cancelled');
  });

  it.each(['unread', 'read'])(
    'two requests on one connection are two, though the body of the first was refused %s',
    async (how) => {
      const slow: StopHandlerOptions['authorize'] = async ({ raw }) => {
        await once(raw as IncomingMessage, 'end');
        return false;
      };
      const { port, errors, sessions } = await serve(how === 'read' ? { authorize: slow } : {});
      const socket = connect(port, '127.0.0.1');
      const smuggled = 'POST /runs/ada-9/cancel HTTP/1.1\r\nhost: x\r\nx-user: ada\r\ncontent-length: 0\r\n\r\n';
      socket.write(
        `POST /runs/bob/cancel HTTP/1.1\r\nhost: x\r\nx-user: ada\r\ncontent-length: ${String(smuggled.length)}\r\n\r\n${smuggled}`,
      );
      let text = '';
      socket.setEncoding('utf8').on('data', (part: string) => (text += part));
      if (how === 'read') socket.write('GET /runs/ada-8/cancel HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
      await once(socket, 'close');
      expect(text.match(/HTTP\/1\.1 \d+/gu)).toEqual(['HTTP/1.1 404', ...(how === 'read' ? ['HTTP/1.1 405'] : [])]);
      expect([errors, (await sessions.look('ada-9')).stop]).toEqual([[], undefined]);
    },
  );

  it.each([
    ['with a body', 'content-length: 20\r\n\r\n{"reason": "enough"}'],
    ['without one', 'content-length: 0\r\n\r\n'],
  ])('a client that has said its stop %s, and leaves while it is authorised, is heard', async (_, rest) => {
    const asked = deferred<IncomingMessage>();
    const allowed = deferred<boolean>();
    const { port, sessions, errors } = await serve({
      authorize: ({ raw }) => {
        asked.resolve(raw as IncomingMessage);
        return allowed.promise;
      },
    });
    const turn = run(sessions, 'ada-1');
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST /runs/ada-1/cancel HTTP/1.1\r\nhost: x\r\n${rest}`);
    const request = await asked.promise;
    const closed = once(request.socket, 'close');
    socket.destroy();
    await closed;
    allowed.resolve(true);
    const { status, stop } = await turn;
    expect([status, stop?.reason?.message, request.listenerCount('data'), errors]).toEqual([
      'cancelled',
      rest.includes('enough') ? 'enough' : 'User cancelled',
      0,
      [],
    ]);
  });

  it('a body that is too long is refused while it comes, and the connection is closed', async () => {
    const { port, errors } = await serve();
    const request = open({ port, method: 'POST', path: '/runs/ada-1/cancel', headers: { 'x-user': 'ada' } });
    request.on('error', () => undefined);
    const answered = once(request, 'response');
    await new Promise<void>((resolve) => {
      request.write('x'.repeat(5000), () => {
        resolve();
      });
    });
    const [response] = (await answered) as [IncomingMessage];
    expect([response.statusCode, response.headers.connection]).toEqual([413, 'close']);
    response.resume();
    request.destroy();
    expect(errors).toEqual([]);
  });

  it('a client that leaves in the middle of its body stops nothing, and is no error', async () => {
    const seen: IncomingMessage[] = [];
    const { port, errors, sessions } = await serve({}, (request) => {
      seen.push(request);
      return Promise.resolve();
    });
    const turn = run(sessions, 'ada-1');
    const socket = connect(port, '127.0.0.1');
    socket.write('POST /runs/ada-1/cancel HTTP/1.1\r\nhost: x\r\nx-user: ada\r\ncontent-length: 20\r\n\r\n{"rea');
    await new Promise<void>((resolve) => {
      const look = () => {
        if ((seen[0]?.listenerCount('data') ?? 0) > 0) resolve();
        else setImmediate(look);
      };
      look();
    });
    socket.destroy();
    await new Promise((resolve) => seen[0]!.once('close', resolve));
    await new Promise(setImmediate);
    expect([errors, sessions.open('ada-1').controller.state]).toEqual([[], 'running']);
    expect(seen[0]!.listenerCount('data')).toBe(0);
    await sessions.close('ada-1');
    await turn;
  });

  it('takes a body that a framework has read and parsed', async () => {
    const { ask, sessions } = await serve({}, async (request) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      (request as IncomingMessage & { body?: unknown }).body = JSON.parse(Buffer.concat(parts).toString());
    });
    const turn = run(sessions, 'ada-1');
    expect((await ask('/runs/ada-1/cancel', '{"wait":"settled"}')).body['status']).toBe('settled');
    expect((await ask('/runs/ada-1/cancel', '{"by":"root"}')).code).toBe(400);
    await turn;
  });

  it('another path is for the next handler, or is not there', async () => {
    const { ask, stop } = await serve();
    expect((await ask('/elsewhere')).code).toBe(404);
    let passed = 0;
    stop.node({ url: '/elsewhere', method: 'GET' } as never, {} as never, () => passed++);
    expect(passed).toBe(1);
  });

  it('gives authorize the address of the peer', async () => {
    const seen: unknown[] = [];
    const { ask } = await serve({
      authorize: ({ address, header }) => {
        seen.push(address, header('X-LIST'));
        return true;
      },
    });
    await ask('/runs/a/cancel', undefined, { 'x-list': 'a' });
    expect(seen).toEqual(['127.0.0.1', 'a']);
  });

  it('refuses what is too long over HTTP/2 without a header that HTTP/2 does not have', async () => {
    const { node } = stopHandler(new SessionRegistry(), { authorize: () => true });
    const warnings: string[] = [];
    const warned = ({ name }: Error): unknown => warnings.push(name);
    process.on('warning', warned);
    let version: number | undefined;
    const server = createServer2((request: Http2ServerRequest, response) => {
      version = request.httpVersionMajor;
      node(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect2(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
    onTestFinished(async () => {
      process.off('warning', warned);
      client.destroy();
      server.close();
      await once(server, 'close');
    });
    const asking = client.request({ ':path': '/runs/a/cancel', ':method': 'POST' });
    asking.end('x'.repeat(10_000));
    const [{ ':status': status }] = (await once(asking, 'response')) as [{ ':status': number }];
    asking.resume();
    await once(asking, 'close');
    await new Promise((resolve) => setImmediate(resolve));
    expect([version, status, warnings]).toEqual([2, 413, []]);
  });
});
