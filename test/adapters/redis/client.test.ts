import { createServer, type AddressInfo } from 'node:net';

import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { describe, expect, it } from 'vitest';

import { wiringOf, type IoRedisClient, type NodeRedisClient } from '../../../src/adapters/redis/client.ts';
import { deferred } from '../../../src/testing/fakes.ts';

/** A port on which nobody listens. */
async function deadPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('a client that was given', () => {
  it.each([undefined, {}, 'redis://', { duplicate: () => undefined }])(
    'a client that was given as %o is refused',
    (client) => {
      // prettier-ignore
      expect(() => wiringOf(client as never)).toThrow(/client must be a client or a Cluster of ioredis or iovalkey/);
    },
  );

  it.each<[string, (port: number) => IoRedisClient | NodeRedisClient]>([
    ['ioredis', (port) => new Redis({ port, host: '127.0.0.1', lazyConnect: true })],
    ['node-redis', (port) => createClient({ socket: { port, host: '127.0.0.1' } })],
  ])('a client of %s is copied, and a command without a connection fails at once', async (_name, make) => {
    const wiring = wiringOf(make(await deadPort()));
    const refused = deferred<unknown>();
    const wire = wiring({ ready: () => undefined, down: refused.resolve });
    await refused.promise;
    await expect(wire.command(['PING'])).rejects.toThrow();
    wire.close();
    expect(() => {
      wire.close();
    }, 'closed twice').not.toThrow();
  });

  it('a client that throws at once, or gives no promise, is down or answers, and is left', async () => {
    const boom = (): never => {
      throw new Error('odd');
    };
    const on = () => undefined;
    const copy = { sendCommand: () => 'PONG', subscribe: () => undefined, connect: boom, destroy: boom, on };
    const node = wiringOf({ ...copy, duplicate: () => copy } as never);
    const down = deferred<unknown>();
    const wire = node({ ready: () => undefined, down: down.resolve });
    expect(String(await down.promise)).toBe('Error: odd');
    expect(await wire.command(['PING'])).toBe('PONG');
    await wire.subscribe('c', () => undefined);
    expect(() => {
      wire.close();
    }).not.toThrow();
    const io = { call: boom, subscribe: () => undefined, disconnect: boom, on };
    const other = wiringOf({ ...io, duplicate: () => io } as never)({ ready: () => undefined, down: () => undefined });
    await expect(other.command(['PING'])).rejects.toThrow('odd');
    expect(() => {
      other.close();
    }).not.toThrow();
  });
});
