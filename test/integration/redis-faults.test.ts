/**
 * Stops over a real Redis while it, the network or the process that runs misbehaves, beside a bus that only publishes.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';

import { redisBackend } from '../../src/adapters/redis/index.ts';
import { hasRedis, startRedis, type Engine } from '../support/engines/redis.ts';
import { startProxy, type LoopbackProxy } from './support/loopback-proxy.ts';
import { STOPS, stopUnder } from './support/stop-faults.ts';

interface Fault {
  readonly name: string;
  readonly spreadMs: number;
  readonly races?: boolean;
  /**
   * Whether a bus that only publishes is bound to lose some. TCP brings late what is sent during a short partition, and a
   * client that is back sooner than the next stop misses nothing of a restart.
   */
  readonly losesMessages: boolean;
  readonly run: (engine: Engine, proxy: LoopbackProxy) => Promise<void>;
}

const faults: readonly Fault[] = [
  {
    name: 'an engine that is killed twice and comes back empty',
    losesMessages: false,
    spreadMs: 4_000,
    run: async (engine) => {
      for (const _ of [1, 2]) {
        await sleep(1_000);
        await engine.restart();
      }
    },
  },
  {
    name: "a runner's socket that is cut every 300 ms",
    losesMessages: true,
    spreadMs: 3_000,
    run: async (_, proxy) => {
      for (let n = 0; n < 10; n++) {
        await sleep(300);
        proxy.cut();
      }
    },
  },
  {
    name: 'a socket that is half open',
    losesMessages: true,
    spreadMs: 2_000,
    run: async (_, proxy) => {
      await sleep(500);
      proxy.silence();
    },
  },
  {
    name: 'a partition of 3 s',
    losesMessages: false,
    spreadMs: 3_500,
    run: async (_, proxy) => {
      proxy.part();
      await sleep(3_000);
      proxy.heal();
    },
  },
  {
    name: 'stops that race with registration',
    spreadMs: 500,
    losesMessages: true,
    races: true,
    run: () => Promise.resolve(),
  },
];

/** What a bus without a record loses of as many stops: each is published once, to whoever listens just then. */
async function lostByPublishing(fault: Fault, engine: Engine, proxy: LoopbackProxy): Promise<number> {
  const publisher = new Redis(engine.port, '127.0.0.1', { maxRetriesPerRequest: null });
  const subscriber = new Redis(proxy.port, '127.0.0.1', { maxRetriesPerRequest: null });
  for (const client of [publisher, subscriber]) client.on('error', () => undefined);
  const heard = new Set<string>();
  subscriber.on('message', (channel) => heard.add(channel));
  const ids = Array.from({ length: STOPS }, (_, n) => `run-${String(n)}`);
  await subscriber.subscribe(...(fault.races === true ? ['another'] : ids));
  const over = fault.run(engine, proxy);
  await Promise.all(
    ids.map(async (id, n) => {
      await sleep((fault.spreadMs * n) / STOPS);
      // One shortly after the other in either order, and neither waits.
      const registered = fault.races === true && n % 2 === 0 ? subscriber.subscribe(id) : undefined;
      if (fault.races === true) await sleep(n % 5);
      const asked = publisher.publish(id, 'stop');
      if (fault.races === true && n % 2 === 1) await subscriber.subscribe(id);
      await Promise.all([asked, registered]);
    }),
  );
  await over;
  await sleep(1_000);
  publisher.disconnect();
  subscriber.disconnect();
  return STOPS - heard.size;
}

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
        races: fault.races === true,
        fault: () => fault.run(engine, proxy),
      });
      const published = await lostByPublishing(fault, engine, proxy);
      const said = Object.entries(figures).map(([what, count]) => `${what} ${String(count)}`);
      process.stdout.write(
        `${fault.name}: of ${String(STOPS)} stops ${said.join(', ')}; by publishing lost ${String(published)}\n`,
      );
      expect(figures).toEqual({ lost: 0, falselyConfirmed: 0, doubled: 0 });
      if (fault.losesMessages) expect(published).toBeGreaterThan(0);
    } finally {
      near.disconnect();
      far.disconnect();
      await proxy.close();
      await engine.stop();
    }
  });
});
