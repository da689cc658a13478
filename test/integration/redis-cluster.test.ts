/** Stops over a Redis cluster, and over one with sentinels, whose masters are killed: beside a plain client of the same kind. */
import { Cluster, Redis } from 'ioredis';
import { Cluster as ValkeyCluster } from 'iovalkey';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { redisBackend } from '../../src/adapters/redis/index.ts';
import type { IoRedisClient } from '../../src/adapters/redis/client.ts';
import { openStopBus } from '../../src/remote/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { hasRedis } from '../support/engines/redis.ts';
import { eventually } from '../support/eventually.ts';
import { startRedisCluster, type RedisCluster } from './support/redis-cluster.ts';
import { startRedisSentinels, type RedisSentinels } from './support/redis-sentinels.ts';

/** How many masters are killed, one after the other. Only played where this is set. */
const FAILOVERS = Number(process.env['REDIS_FAILOVERS'] ?? 2);
const leaseMs = 15_000;

interface PlainClient extends IoRedisClient {
  set(key: string, value: string): Promise<unknown>;
}

/** Hosts a session over each failover, and stops it and one more within a lease of the moment that a plain client is back. */
async function surviveFailovers(
  client: PlainClient,
  plain: PlainClient,
  namespace: string,
  failOver: () => Promise<void>,
): Promise<void> {
  for (const one of [client, plain]) one.on('error', () => undefined);
  const backend = redisBackend({ client, namespace });
  await using front = await openStopBus(backend, { leaseMs });
  await using worker = await openStopBus(backend, { leaseMs });
  const [asking, working] = [new SessionRegistry({ bus: front }), new SessionRegistry({ bus: worker })];
  const runUntilStopped = (id: string): Promise<unknown> =>
    working.open(id).controller.runTurn(({ token }) => token.whenCancelled());
  for (let n = 0; n < FAILOVERS; n++) {
    const ids = [`before-${String(n)}`, `after-${String(n)}`] as const;
    const turn = runUntilStopped(ids[0]);
    expect(await working.open(ids[0]).ready()).toBe(true);
    await failOver();
    await eventually(() => plain.set(`{${namespace}}:plain`, 'here'));
    const isBackAt = performance.now();
    const next = runUntilStopped(ids[1]);
    for (const id of ids) {
      await expect
        .poll(async () => (await asking.cancel(id, 'enough', { wait: 'settled' })).status, { timeout: 3 * leaseMs })
        .toBe('settled');
    }
    process.stdout.write(
      `${namespace}: back ${String(Math.round(performance.now() - isBackAt))} ms after a plain client\n`,
    );
    expect(performance.now() - isBackAt).toBeLessThan(leaseMs);
    await Promise.all([turn, next]);
  }
  await working.drain({ timeoutMs: 0 });
  for (const one of [client, plain]) one.disconnect();
}

describe.runIf(hasRedis())('a Redis cluster whose masters are killed', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  }, 120_000);
  afterAll(() => cluster.stop());

  it.each([
    ['ioredis', Cluster],
    ['iovalkey', ValkeyCluster],
  ])(
    'D2 D12 a Redis cluster whose masters are killed carries stops again with %s',
    { timeout: 600_000 },
    async (name, Kind) => {
      const nodes = cluster.ports.map((port) => ({ host: '127.0.0.1', port }));
      const make = (): PlainClient => new Kind(nodes);
      await surviveFailovers(make(), make(), name, () => cluster.failOver(`{${name}}`));
    },
  );
});

describe.runIf(hasRedis())('a Redis with sentinels whose master is killed', () => {
  let sentinels: RedisSentinels;
  beforeAll(async () => {
    sentinels = await startRedisSentinels();
  }, 120_000);
  afterAll(() => sentinels.stop());

  it(
    'D2 D12 a Redis with sentinels whose master is killed carries stops again with ioredis',
    { timeout: 600_000 },
    async () => {
      const options = {
        sentinels: sentinels.ports.map((port) => ({ host: '127.0.0.1', port })),
        name: 'agents',
        maxRetriesPerRequest: null,
      };
      const make = (): PlainClient => new Redis(options);
      await surviveFailovers(make(), make(), 'sentinels', () => sentinels.failOver());
    },
  );
});
