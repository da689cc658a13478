import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

import { afterEach, describe, expect, it } from 'vitest';

import { fromRequest } from '../../src/adapters/http-request/from-request.ts';

let close: () => Promise<void> = () => Promise.resolve();
afterEach(() => close());

/** Long enough for a server to have heard of what happened on its socket. */
const moment = () => new Promise((resolve) => setTimeout(resolve, 100));

describe('an upgraded request has no response: the end of its connection is the disconnect', () => {
  const get = 'GET / HTTP/1.1\r\nhost: a\r\n';
  const upgrades = {
    upgrade: `${get}connection: upgrade\r\nupgrade: x\r\n\r\n`,
    connect: 'CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n',
  };

  /** @param before What the connection carried: a request and how often its answer was read before the upgrade. */
  async function upgraded(event: keyof typeof upgrades, before: 'nothing' | 'an answer' | 'an answer on its way') {
    const server = createServer((_request, response) => response.end('ok'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    close = () =>
      new Promise((resolve) => {
        client.destroy();
        server.close(() => resolve());
      });
    const heard = once(server, event);
    if (before === 'an answer') {
      client.write(`${get}\r\n`);
      await once(client, 'data');
    }
    client.write(before === 'an answer on its way' ? `${get}\r\n${upgrades[event]}` : upgrades[event]);
    const [request, socket] = (await heard) as [IncomingMessage, Socket];
    const source = fromRequest(request, { disconnect: 'cancel' });
    return { client: client.resume(), request, socket, source };
  }

  it.each(
    (['upgrade', 'connect'] as const).flatMap((event) =>
      (['nothing', 'an answer', 'an answer on its way'] as const).map((before) => [event, before] as const),
    ),
  )('%s, after %s', async (event, before) => {
    const { client, socket, source } = await upgraded(event, before);
    socket.write('ping'); // what is said on the connection ends nothing
    await moment();
    expect(source.isCancelled).toBe(false);
    client.destroy();
    await once(socket.resume(), 'end');
    socket.destroy();
    await once(socket, 'close');
    expect(source.reason?.kind).toBe('disconnect');
    expect(socket.listenerCount('close')).toBe(0);
  });

  it('no listener is left on the connection of one that was released', async () => {
    const { socket, source } = await upgraded('upgrade', 'nothing');
    const before = socket.listenerCount('close');
    source.release();
    expect(socket.listenerCount('close')).toBe(before - 1);
    socket.destroy();
    await once(socket, 'close');
    expect(source.isCancelled).toBe(false);
  });

  it('one whose connection has ended before it is looked at is cancelled at once', async () => {
    const { client, request, socket } = await upgraded('upgrade', 'an answer');
    client.destroy();
    socket.destroy();
    await once(socket, 'close');
    expect(fromRequest(request, { disconnect: 'cancel' }).reason?.kind).toBe('disconnect');
  });
});
