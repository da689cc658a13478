/**
 * Stops over a real Redis, with the real clients.
 */
import { Redis } from 'ioredis';
import { Redis as Valkey } from 'iovalkey';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { redisBackend } from '../../src/adapters/redis/index.ts';
import type { IoRedisClient, NodeRedisClient } from '../../src/adapters/redis/client.ts';
import { openStopBus } from '../../src/remote/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { stopBackendSuite } from '../../src/testing/index.ts';
import { hasRedis, startRedis, type Engine } from '../support/engines/redis.ts';

interface Client {
  readonly client: IoRedisClient | NodeRedisClient;
  readonly end: () => void;
}

const clients: readonly (readonly [string, (port: number) => Promise<Client>])[] = [
  [
    'ioredis',
    (port) => {
      const client = new Redis(port, '127.0.0.1');
      return Promise.resolve({
        client,
        end: () => {
          client.disconnect();
        },
      });
    },
  ],
  [
    'iovalkey',
    (port) => {
      const client = new Valkey(port, '127.0.0.1');
      return Promise.resolve({
        client,
        end: () => {
          client.disconnect();
        },
      });
    },
  ],
  [
    'node-redis',
    async (port) => {
      const client = createClient({ socket: { host: '127.0.0.1', port } });
      client.on('error', () => undefined);
      await client.connect();
      return {
        client,
        end: () => {
          client.destroy();
        },
      };
    },
  ],
];

describe.runIf(hasRedis()).each(clients)('Redis with %s', (name, connect) => {
  let engine: Engine;
  let given: Client;
  let opened = 0;

  beforeAll(async () => {
    engine = await startRedis();
    given = await connect(engine.port);
  });

  afterAll(async () => {
    given.end();
    await engine.stop();
  });

  const open = () => redisBackend({ client: given.client, namespace: `case-${String(++opened)}` });

  const lose = async (): Promise<void> => {
    const other = new Redis(engine.port, '127.0.0.1');
    await other.flushall();
    other.disconnect();
  };

  it.each(stopBackendSuite({ open, lose }))(`Redis with ${name}: $title`, async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  it(`Redis with ${name} takes many changes at once: each is made by itself or refused, listed and heard of`, async () => {
    const backend = redisBackend({ client: given.client, namespace: `many ${name}` });
    const heard = new Map<string, string | undefined>();
    const events = { wake: () => undefined, resync: () => undefined, down: () => undefined };
    const a = await backend.connect('a', events);
    const b = await backend.connect('b', { ...events, wake: (runId, value) => heard.set(runId, value) });
    const c = await backend.connect('c', events);
    await b.listen();
    const ids = Array.from({ length: 250 }, (_, n) => `run-${String(n)}`);
    const swaps = ids.map((runId, n) => {
      const [inboxes, hints] = [n % 2 === 0 ? ['b', 'c'] : ['b'], n % 3 === 0 ? ['c', 'd'] : []];
      // Every fifth believes in a record that is not there.
      const from = n % 5 === 0 ? 'other' : undefined;
      return a.swap({ ...{ runId, from, to: `value of ${runId}`, ttlMs: 60_000 }, inboxes, hints, handled: false });
    });
    const made = (await Promise.all(swaps)).map(({ swapped }) => swapped);
    expect(made).toEqual(ids.map((_, n) => n % 5 !== 0));
    const expected = ids.map((runId, n) => (n % 5 === 0 ? undefined : `value of ${runId}`));
    const read = await Promise.all(ids.map((runId) => a.read(runId)));
    expect(read.map(({ value }) => value)).toEqual(expected);
    const listed = new Map((await b.pull(1_000, 'g')).pending.map(({ runId, value }) => [runId, value]));
    expect(ids.map((runId) => listed.get(runId))).toEqual(expected);
    const others = (await c.pull(1_000, 'g')).pending.map(({ runId }) => runId);
    expect(others.sort()).toEqual(ids.filter((_, n) => n % 5 !== 0 && n % 2 === 0).sort());
    await expect.poll(() => ids.map((runId) => heard.get(runId))).toEqual(expected);
    for (const connection of [a, b, c]) await connection.close(true);
  });

  it(`S32 Redis with ${name} takes a stop to the process that hosts the session, early or not, and brings its report back`, async () => {
    const backend = open();
    await using front = await openStopBus(backend);
    await using worker = await openStopBus(backend);
    const [asking, working] = [new SessionRegistry({ bus: front }), new SessionRegistry({ bus: worker })];
    await asking.cancel('early', 'changed my mind');
    const early = await working.open('early').controller.runTurn(async ({ token }) => token.whenCancelled());
    const turn = working.open('run').controller.runTurn(async ({ token }) => token.whenCancelled());
    const { status, reason } = await asking.cancel('run', { kind: 'user', by: 'ada' }, { wait: 'settled' });
    expect([early.status, status, reason.by, (await turn).status]).toEqual([
      'cancelled',
      'settled',
      'ada',
      'cancelled',
    ]);
    await working.drain({ timeoutMs: 0 });
  });

  it(`Redis with ${name} takes two hundred stops at once with eight commands for each, those of scripts included`, async () => {
    const backend = open();
    await using front = await openStopBus(backend);
    await using worker = await openStopBus(backend);
    const [asking, working] = [new SessionRegistry({ bus: front }), new SessionRegistry({ bus: worker })];
    const ids = Array.from({ length: 200 }, (_, n) => `run-${String(n)}`);
    await Promise.all(ids.map((id) => working.open(id).ready()));
    const turns = ids.map((id) => working.open(id).controller.runTurn(({ token }) => token.whenCancelled()));
    const admin = new Redis(engine.port, '127.0.0.1');
    const count = async (): Promise<number> =>
      Number(/^total_commands_processed:(\d+)/m.exec(await admin.info('stats'))?.[1]);
    const before = await count();
    const receipts = await Promise.all(ids.map((id) => asking.cancel(id, 'enough', { wait: 'settled' })));
    const after = await count();
    admin.disconnect();
    expect(new Set(receipts.map(({ status }) => status))).toEqual(new Set(['settled']));
    await Promise.all(turns);
    expect((after - before) / ids.length).toBeLessThanOrEqual(8);
    await working.drain({ timeoutMs: 0 });
  });

  it(`Redis with ${name} warns of an engine that may evict, once for each bus, and of no other`, async () => {
    const settings = new Redis(engine.port, '127.0.0.1');
    const warnings: string[] = [];
    const backend = redisBackend({ client: given.client, onWarning: (message) => warnings.push(message) });
    await using _calm = await openStopBus(backend);
    await settings.config('SET', 'maxmemory', '100mb');
    await settings.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await using _warned = await openStopBus(backend);
    await expect.poll(() => warnings).toEqual([expect.stringContaining('maxmemory-policy is allkeys-lru')]);
    await settings.config('SET', 'maxmemory', '0');
    settings.disconnect();
  });

  it(`Redis with ${name} loses no stop when it starts again with nothing`, async () => {
    const backend = redisBackend({ client: given.client, namespace: 'restart', minLeaseMs: 1_000 });
    await using front = await openStopBus(backend, { leaseMs: 2_000 });
    await using worker = await openStopBus(backend, { leaseMs: 2_000 });
    const [asking, working] = [new SessionRegistry({ bus: front }), new SessionRegistry({ bus: worker })];
    const turn = working.open('run').controller.runTurn(async ({ token }) => token.whenCancelled());
    await asking.cancel('other', 'is known');
    await engine.restart();
    const { status } = await asking.cancel('run', 'enough', { wait: 'settled', timeoutMs: 20_000 });
    expect([status, (await turn).status]).toEqual(['settled', 'cancelled']);
    await working.drain({ timeoutMs: 0 });
  });
});
