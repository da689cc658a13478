/**
 * Stops over a real Redis while it, the network or the process that runs misbehaves, beside a bus that only publishes.
 */
import { Redis } from 'ioredis';
import { describe, it } from 'vitest';

import { redisBackend } from '../../src/adapters/redis/index.ts';
import { hasRedis, redisAnswers, startRedis } from '../support/engines/redis.ts';
import { standFault, type Parties, type Place } from './support/fault-scene.ts';
import { faults } from './support/faults.ts';
import { plainRedis } from './support/publish-only.ts';
import { checkRunner, runnerFaults, stopFaultyRunner } from './support/runner-faults.ts';

const onDisk = ['--appendonly', 'yes', '--appendfsync', 'always'];

function enter({ engine, near, far }: Place): Promise<Parties> {
  const [asking, running, admin] = [near, far, engine].map(({ port }) => new Redis(port, '127.0.0.1')) as [Redis, Redis, Redis]; // prettier-ignore
  const clients = [asking, running, admin];
  for (const client of clients) client.on('error', () => undefined);
  const backend = (client: Redis) => redisBackend({ client, namespace: 'faults', minLeaseMs: 1_000 });
  return Promise.resolve({
    ...{ asking: backend(asking), running: backend(running) },
    isServed: async () => (await Promise.all([near, far].map(({ port }) => redisAnswers(port)))).every(Boolean),
    forget: async () => {
      await admin.flushall();
    },
    close: () => {
      for (const client of clients) client.disconnect();
      return Promise.resolve();
    },
  });
}

describe.runIf(hasRedis())('stops over Redis under faults', () => {
  it.concurrent.each(faults.filter(({ needs }) => needs !== 'pooler'))(
    'S53 D1 D2 D3 D5 Redis loses no stop to $name',
    { timeout: 300_000 },
    (fault) => {
      const start = () => startRedis(...(fault.needs === 'disk' ? onDisk : []));
      return standFault(fault, { start, enter, publishing: plainRedis, isMany: true });
    },
  );

  it.concurrent.each(runnerFaults)('D5 D6 D7 D8 Redis: a runner that is %s', { timeout: 300_000 }, async (fault) => {
    await checkRunner(fault, async () => {
      const engine = await startRedis();
      try {
        return await stopFaultyRunner('redis', engine.port, fault);
      } finally {
        await engine.stop();
      }
    });
  });
});
