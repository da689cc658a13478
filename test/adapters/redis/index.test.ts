import { createServer, type AddressInfo } from 'node:net';

import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';

import { redisBackend } from '../../../src/adapters/redis/index.ts';

describe('the backend over Redis', () => {
  const client = new Redis({ lazyConnect: true });

  it.each(['', 'a{b}', 5])('the backend over Redis refuses the namespace %o', (namespace) => {
    expect(() => redisBackend({ client, namespace: namespace as string })).toThrow(/namespace must be/);
  });

  it('the backend over Redis connects by its deadline to an engine that accepts and says nothing', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const mute = new Redis(port, { lazyConnect: true });
    const events = { wake: () => undefined, resync: () => undefined, down: () => undefined };
    const connection = await redisBackend({ client: mute }).connect('a', events, { deadlineMs: 5 });
    await connection.close(false);
    await new Promise((resolve) => server.close(resolve));
  });

  it('the backend over Redis says what it promises, and opens no connection before it is used', () => {
    expect(redisBackend({ client }).caps).toEqual({ durability: 'memory', push: true, minLeaseMs: 5_000 });
    expect(() => redisBackend({ client, minLeaseMs: -1 })).toThrow('minLeaseMs must be');
    expect(client.status).toBe('wait');
  });
});
