/**
 * Stops over a real Redis while it, the network or the process that runs misbehaves, beside a bus that only publishes.
 */
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';

import { redisBackend } from '../../src/adapters/redis/index.ts';
import { hasRedis, redisAnswers, startRedis } from '../support/engines/redis.ts';
import { faults, stopsOf, type Fault } from './support/faults.ts';
import { startProxy } from './support/network/loopback-proxy.ts';
import { lostByPublishing, plainRedis } from './support/publish-only.ts';
import { checkRunner, runnerFaults, stopFaultyRunner } from './support/runner-faults.ts';
import { lineOf, stopUnder, wrongs } from './support/stop-faults.ts';

const onDisk = ['--appendonly', 'yes', '--appendfsync', 'always'];

async function sceneOf({ needs }: Fault) {
  const first = await startRedis(...(needs === 'disk' ? onDisk : []));
  const engines = [first];
  const [near, far] = [await startProxy(first.port), await startProxy(first.port)];
  const clients = [near, far].map(({ port }) => new Redis(port, '127.0.0.1'));
  const admin = new Redis(first.port, '127.0.0.1');
  for (const client of [...clients, admin]) client.on('error', () => undefined);
  const [asking, running] = clients.map((client) => redisBackend({ client, namespace: 'faults', minLeaseMs: 1_000 }));
  return {
    ...{ engine: first, near, far, asking, running },
    failOver: async (): Promise<void> => {
      const next = await startRedis();
      engines.push(next);
      await first.stop();
      await Promise.all([near, far].map((proxy) => proxy.behave({ target: next.port })));
    },
    isServed: async (): Promise<boolean> => {
      const served = await Promise.all([near, far].map(({ port }) => redisAnswers(port)));
      return served.every(Boolean);
    },
    forget: async (): Promise<void> => {
      await admin.flushall();
    },
    close: async (): Promise<void> => {
      for (const client of [...clients, admin]) client.disconnect();
      await Promise.all([near.close(), far.close()]);
      await Promise.all(engines.map((engine) => engine.stop()));
    },
  };
}

describe.runIf(hasRedis())('stops over Redis under faults', () => {
  it.concurrent.each(faults.filter(({ needs }) => needs !== 'pooler'))(
    'D1 D2 D3 D5 Redis loses no stop to $name',
    { timeout: 300_000 },
    async (fault) => {
      const scene = await sceneOf(fault);
      const { asking, running, engine, far } = scene;
      const { spreadMs, races, skewMs, losesMessages } = fault;
      if (asking === undefined || running === undefined) throw new Error('two processes are needed');
      try {
        const figures = await stopUnder({
          ...{ asking, running, leaseMs: 9_000, spreadMs, races, skewMs, stops: stopsOf(fault) },
          fault: () => fault.run(scene),
          isServed: scene.isServed,
        });
        const published =
          losesMessages === undefined
            ? undefined
            : await lostByPublishing(fault, plainRedis(engine.port, far.port), () => fault.run(scene));
        process.stdout.write(lineOf(fault.name, stopsOf(fault), figures, published));
        expect(wrongs(figures)).toEqual({});
        if (losesMessages === true) expect(published).toBeGreaterThan(0);
      } finally {
        await scene.close();
      }
    },
  );

  it.concurrent.each(runnerFaults)('D5 D6 D7 D8 Redis: a runner that is %s', { timeout: 300_000 }, async (fault) => {
    const engine = await startRedis();
    try {
      checkRunner(fault, await stopFaultyRunner('redis', engine.port, fault));
    } finally {
      await engine.stop();
    }
  });
});
