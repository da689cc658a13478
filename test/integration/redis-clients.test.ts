/** Stops over a real Redis, with clients as applications have them: in every mode and setting that could get in the way. */
import { Cluster, Redis } from 'ioredis';
import { Cluster as ValkeyCluster, Redis as Valkey } from 'iovalkey';
import { createClient, createClientPool, createCluster } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { redisBackend, type RedisBackendOptions } from '../../src/adapters/redis/index.ts';
import type { IoRedisClient } from '../../src/adapters/redis/client.ts';
import { openStopBus } from '../../src/remote/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { hasRedis, startRedis, type Engine } from '../support/engines/redis.ts';
import { eventually } from '../support/eventually.ts';
import { startProxy } from './support/network/loopback-proxy.ts';

type Client = RedisBackendOptions['client'];

interface Given {
  readonly client: Client;
  readonly end: () => void;
}

const io = (client: IoRedisClient): Given => {
  client.on('error', () => undefined);
  return { client, end: () => { client.disconnect(); } }; // prettier-ignore
};

const node = (client: { destroy(): void; on(event: string, hear: () => void): unknown }): Given => {
  client.on('error', () => undefined);
  return { client: client as unknown as Client, end: () => { client.destroy(); } }; // prettier-ignore
};

const modes: readonly (readonly [string, (port: number) => Promise<Given> | Given])[] = [
  ['ioredis that has not connected yet', (port) => io(new Redis({ port, lazyConnect: true }))],
  ['iovalkey that has not connected yet', (port) => io(new Valkey({ port, lazyConnect: true }))],
  [
    'ioredis that is subscribed',
    async (port) => {
      const client = new Redis(port);
      await client.subscribe('news');
      return io(client);
    },
  ],
  ['ioredis with a prefix', (port) => io(new Redis({ port, keyPrefix: 'app:' }))],
  ['ioredis with numbers as text, in another database', (port) => io(new Redis({ port, stringNumbers: true, db: 3 }))],
  ['ioredis with pipelines of its own', (port) => io(new Redis({ port, enableAutoPipelining: true }))],
  [
    'ioredis that was ended',
    async (port) => {
      const client = new Redis(port);
      await client.ping();
      client.disconnect();
      return io(client);
    },
  ],
  ['node-redis that never connects', (port) => ({ client: createClient({ socket: { port } }), end: () => undefined })],
  [
    'node-redis over RESP3',
    async (port) =>
      node(
        await createClient({ RESP: 3, socket: { port } })
          .on('error', () => undefined)
          .connect(),
      ),
  ],
  [
    'node-redis whose answers are buffers',
    async (port) => {
      const options = { socket: { port }, commandOptions: { typeMapping: { 36: Buffer } } };
      return node(
        await createClient(options)
          .on('error', () => undefined)
          .connect(),
      );
    },
  ],
];

/** Stops a run over two buses, and says how that came out. */
async function stopOnce(client: Client, namespace: string, ids: readonly string[] = ['run']): Promise<string[]> {
  const backend = redisBackend({ client, namespace, minLeaseMs: 1_000 });
  await using front = await openStopBus(backend);
  await using worker = await openStopBus(backend);
  const [asking, working] = [new SessionRegistry({ bus: front }), new SessionRegistry({ bus: worker })];
  try {
    return await Promise.all(
      ids.map(async (id) => {
        const session = working.open(id);
        await session.ready();
        const turn = session.controller.runTurn(({ token }) => token.whenCancelled());
        const { status } = await asking.cancel(id, 'enough', { wait: 'settled' });
        return status === 'settled' ? (await turn).status : status;
      }),
    );
  } finally {
    await working.drain({ timeoutMs: 0 });
  }
}

describe.runIf(hasRedis())('Redis with the client of an application', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await startRedis();
  });
  afterAll(() => engine.stop());

  it.each(modes)('Redis carries stops with %s', async (name, connect) => {
    const { client, end } = await connect(engine.port);
    try {
      expect(await stopOnce(client, name.replace(/\W/g, '-'))).toEqual(['cancelled']);
    } finally {
      end();
    }
  });

  it('Redis holds what it holds for every client, whatever prefix one has', async () => {
    const prefixed = new Redis({ port: engine.port, keyPrefix: 'mine:' });
    const plain = new Redis(engine.port);
    await using bus = await openStopBus(redisBackend({ client: prefixed, namespace: 'shared' }));
    const sessions = new SessionRegistry({ bus });
    await sessions.open('run').ready();
    const keys = await plain.keys('*');
    expect(keys.filter((key) => key.startsWith('mine:'))).toEqual([]);
    expect(keys.filter((key) => key.startsWith('{shared}:stop:run:'))).toHaveLength(1);
    await sessions.drain({ timeoutMs: 0 });
    prefixed.disconnect();
    plain.disconnect();
  });

  it('Redis carries two hundred stops at once, of runs with ids of any text', async () => {
    const { client, end } = io(new Redis(engine.port));
    const odd = ['\0', 'ключ', 'a b', '{x}', '*', 'run:1', '\n', '👩‍👩‍👧', 'x'.repeat(100_000)];
    const ids = [...odd, ...Array.from({ length: 200 - odd.length }, (_, n) => `run-${String(n)}`)];
    expect(new Set(await stopOnce(client, 'many', ids))).toEqual(new Set(['cancelled']));
    end();
  });

  it('Redis carries stops for a user who may do nothing but what the guide names', async () => {
    const admin = new Redis(engine.port);
    const rights = '+eval +evalsha +get +set +mget +del +time +pexpire +sadd +srem +smembers +publish +subscribe'.split(
      ' ',
    );
    await admin.call('ACL', 'SETUSER', 'narrow', 'on', '>secret', '~{agents}:stop:*', '&{agents}:stop:*', ...rights);
    const settings = { port: engine.port, username: 'narrow', password: 'secret', enableReadyCheck: false };
    const { client, end } = io(new Redis(settings));
    expect(await stopOnce(client, 'agents')).toEqual(['cancelled']);
    end();
    admin.disconnect();
  });

  it.each([
    ['has no memory left', ['CONFIG', 'SET', 'maxmemory', '1mb'], ['CONFIG', 'SET', 'maxmemory', '0'], 'OOM'],
    ['takes no writes', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE'], 'READONLY'],
  ])('Redis that %s is said to confirm nothing, and carries stops again later', async (_, harm, mend, word) => {
    const admin = new Redis(engine.port);
    const { client, end } = io(new Redis(engine.port));
    await using bus = await openStopBus(redisBackend({ client, namespace: word }), { confirmMs: 500 });
    const errors: string[] = [];
    bus.onEvent((event) => {
      if (event.type === 'degraded') errors.push(String(event.error));
    });
    const sessions = new SessionRegistry({ bus });
    const call = ([command = '', ...args]: readonly string[]): Promise<unknown> => admin.call(command, ...args);
    await call(harm);
    expect((await sessions.cancel('run')).status).toBe('unconfirmed');
    expect(errors[0]).toContain(word);
    await call(mend);
    await expect.poll(async () => (await sessions.cancel('run')).status).toBe('pending');
    end();
    admin.disconnect();
  });

  it.each<[string, (port: number) => Given]>([
    ['ioredis', (port) => io(new Redis(port))],
    ['iovalkey', (port) => io(new Valkey(port))],
    ['node-redis', (port) => node(createClient({ socket: { port } }))],
  ])(
    'Redis that has become a replica while %s was connected is left for the master',
    { timeout: 60_000 },
    async (name, connect) => {
      const [old, next] = [await startRedis(), await startRedis()];
      const address = await startProxy(old.port);
      const { client, end } = connect(address.port);
      const bus = await openStopBus(redisBackend({ client, namespace: name }), { confirmMs: 500 });
      const sessions = new SessionRegistry({ bus });
      expect(await sessions.open('run').ready()).toBe(true);
      // As a managed engine fails over: the address leads elsewhere, and the connections that there are stay where they are.
      await address.behave({ target: next.port });
      const admin = new Redis(old.port);
      await admin.call('REPLICAOF', '127.0.0.1', String(next.port));
      admin.disconnect();
      await expect.poll(async () => (await sessions.cancel('other')).status).toBe('pending');
      await expect.poll(async () => (await bus.look('run')).state).toBe('open');
      await sessions.drain({ timeoutMs: 0 });
      await bus.close();
      end();
      await address.close();
      await Promise.all([old.stop(), next.stop()]);
    },
  );

  it('Redis is refused through a cluster or a pool of node-redis, which take their commands in other ways', () => {
    const rootNodes = [{ socket: { port: engine.port } }];
    for (const client of [createCluster({ rootNodes }), createClientPool({ socket: { port: engine.port } })]) {
      expect(() => redisBackend({ client: client as unknown as Client })).toThrow('a single client of redis');
    }
  });
});

describe.runIf(hasRedis())('a Redis cluster', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await startRedis('--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1');
    const admin = new Redis(engine.port);
    await admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await eventually(async () => expect(await admin.call('CLUSTER', 'INFO')).toContain('cluster_state:ok'));
    admin.disconnect();
  });
  afterAll(() => engine.stop());

  it.each([
    ['ioredis', Cluster],
    ['iovalkey', ValkeyCluster],
  ])('a Redis cluster carries stops with %s', async (name, Kind) => {
    const { client, end } = io(new Kind([{ host: '127.0.0.1', port: engine.port }]));
    expect(await stopOnce(client, name, ['a', 'b', 'c'])).toEqual(['cancelled', 'cancelled', 'cancelled']);
    end();
  });
});
