/**
 * Stops of groups over a real Redis.
 */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { redisBackend } from '../../src/adapters/redis/index.ts';
import { hasRedis, startRedis, type Engine } from '../support/engines/redis.ts';
import { listsAgain, stopsWhoIsThere } from './support/group-stops.ts';

describe.runIf(hasRedis())('Redis', { timeout: 120_000 }, () => {
  let engine: Engine;
  let client: Redis;

  beforeAll(async () => {
    engine = await startRedis();
    client = new Redis(engine.port, '127.0.0.1');
    client.on('error', () => undefined);
  });
  afterAll(async () => {
    client.disconnect();
    await engine.stop();
  });

  const open = (namespace: string) => redisBackend({ client, namespace, minLeaseMs: 1_000 });

  it('S52 Redis takes a stop to everybody who is in a group, and to nobody else', async () => {
    await stopsWhoIsThere(open('groups'));
  });

  it('S52 Redis that starts again with nothing lists everybody again', async () => {
    await listsAgain(open('again'), () => engine.restart());
  });

  it('Redis keeps no list of runs whose record is gone, though nobody asks for it', async () => {
    const connection = await open('gone').connect('a', { wake: () => undefined, resync: () => undefined, down: () => undefined }); // prettier-ignore
    const change = { from: undefined, to: 'x', inboxes: [], hints: [], handled: false, joins: ['g'] };
    await Promise.all(
      Array.from({ length: 90 }, (_, n) => connection.swap({ ...change, runId: `dead-${String(n)}`, ttlMs: 1 })),
    );
    for (let n = 0; n < 400; n++) await connection.swap({ ...change, runId: `live-${String(n % 10)}`, from: n < 10 ? undefined : 'x', ttlMs: 60_000 }); // prettier-ignore
    expect(await client.scard('{gone}:stop:group:g')).toBeLessThanOrEqual(12);
    expect(await client.pttl('{gone}:stop:group:g')).toBeGreaterThan(3_600_000);
    await connection.close(true);
  });
});
