/**
 * Stops over a real Redis while it, the network or the process that runs misbehaves, beside a bus that only publishes.
 */
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';

import { redisBackend } from '../../src/adapters/redis/index.ts';
import { hasRedis, startRedis } from '../support/engines/redis.ts';
import { startProxy } from './support/loopback-proxy.ts';
import { lostByPublishing, plainRedis } from './support/publish-only.ts';
import { checkRunner, runnerFaults, stopFaultyRunner } from './support/runner-faults.ts';
import { faults, lineOf, stopsOf, stopUnder, wrongs } from './support/stop-faults.ts';

describe.runIf(hasRedis())('stops over Redis under faults', () => {
  it.concurrent.each(faults)('D1 D2 D3 D5 Redis loses no stop to $name', { timeout: 300_000 }, async (fault) => {
    const engine = await startRedis();
    const proxy = await startProxy(engine.port);
    const near = new Redis(engine.port, '127.0.0.1');
    const far = new Redis(proxy.port, '127.0.0.1');
    for (const client of [near, far]) client.on('error', () => undefined);
    const backend = (client: Redis) => redisBackend({ client, namespace: 'faults', minLeaseMs: 1_000 });
    try {
      const figures = await stopUnder({
        ...{ asking: backend(near), running: backend(far), leaseMs: 9_000, spreadMs: fault.spreadMs },
        ...{ races: fault.races === true, stops: stopsOf(fault) },
        fault: () => fault.run(engine, proxy),
      });
      const published = await lostByPublishing(fault, plainRedis(engine.port, proxy.port), () =>
        fault.run(engine, proxy),
      );
      process.stdout.write(lineOf(fault.name, stopsOf(fault), figures, published));
      expect(wrongs(figures)).toEqual([0, 0, 0, 0]);
      if (fault.losesMessages) expect(published).toBeGreaterThan(0);
    } finally {
      near.disconnect();
      far.disconnect();
      await proxy.close();
      await engine.stop();
    }
  });

  it.concurrent.each(runnerFaults)('D5 D6 D7 D8 Redis: a runner that is %s', { timeout: 300_000 }, async (fault) => {
    const engine = await startRedis();
    try {
      checkRunner(fault, await stopFaultyRunner('redis', engine.port, fault));
    } finally {
      await engine.stop();
    }
  });
});
