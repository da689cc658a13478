/** A bus that closes while its engine, or the network to it, is silent: nothing is refused, and nothing is answered. */
import { Redis } from 'ioredis';
import { Redis as Valkey } from 'iovalkey';
import pg from 'pg';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { postgresBackend } from '../../src/adapters/postgres/index.ts';
import { redisBackend } from '../../src/adapters/redis/index.ts';
import { openStopBus, type StopBackend } from '../../src/remote/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { hasPostgres, startPostgres, urlOf } from '../support/engines/postgres.ts';
import { hasRedis, startRedis, type Engine } from '../support/engines/redis.ts';
import { signalEngine } from '../support/engines/signal-engine.ts';

/** A client of an application, and how it is ended at once. */
interface Given {
  readonly backend: (namespace: string) => StopBackend;
  readonly end: () => unknown;
  /** How many connections a bus has beside those of the application. */
  readonly own: number;
}

/** A silent engine never answers; the limit is far from that, on a busy machine too. */
const limitMs = 500;
const soonMs = 5_000;

const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

async function closeWhileSilent(engine: Engine, { backend, end, own }: Given, drains: boolean): Promise<void> {
  const bus = await openStopBus(backend(drains ? 'drained' : 'open'));
  const sessions = new SessionRegistry({ bus });
  await sessions.open('chat').ready();
  if (drains) await sessions.drain({ timeoutMs: 0 });
  const before = sockets();
  signalEngine(engine, 'SIGSTOP');
  try {
    const startedAt = performance.now();
    await bus.close({ timeoutMs: limitMs });
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThanOrEqual(limitMs - 50);
    expect(tookMs).toBeLessThan(soonMs);
    await expect.poll(sockets, { timeout: soonMs }).toBe(before - own);
  } finally {
    signalEngine(engine, 'SIGCONT');
    await end();
  }
}

const redisClients: readonly (readonly [string, (port: number) => Promise<Given> | Given])[] = [
  [
    'ioredis',
    async (port) => {
      const client = new Redis(port, '127.0.0.1');
      await client.ping();
      return { backend: (namespace) => redisBackend({ client, namespace }), own: 2, end: () => { client.disconnect(); } }; // prettier-ignore
    },
  ],
  [
    'iovalkey',
    async (port) => {
      const client = new Valkey(port, '127.0.0.1');
      await client.ping();
      return { backend: (namespace) => redisBackend({ client, namespace }), own: 2, end: () => { client.disconnect(); } }; // prettier-ignore
    },
  ],
  [
    'node-redis',
    async (port) => {
      const client = createClient({ socket: { port, host: '127.0.0.1' } });
      client.on('error', () => undefined);
      await client.connect();
      return { backend: (namespace) => redisBackend({ client, namespace }), own: 2, end: () => { client.destroy(); } }; // prettier-ignore
    },
  ],
];

describe.runIf(hasRedis())('a bus over a Redis that is silent', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await startRedis();
  });
  afterAll(() => engine.stop());

  describe.each(redisClients)('with %s', (_, connect) => {
    it.each([
      ['hosts a session', false],
      ['was drained', true],
    ])('a bus over a silent Redis that %s closes within its limit, its connections too', async (_state, drains) => {
      await closeWhileSilent(engine, await connect(engine.port), drains);
    });
  });
});

describe.runIf(hasPostgres())('a bus over a PostgreSQL that is silent', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await startPostgres();
  }, 60_000);
  afterAll(() => engine.stop());

  it.each([
    ['hosts a session', false],
    ['was drained', true],
  ])('a bus over a silent PostgreSQL that %s closes within its limit, its session too', async (_state, drains) => {
    const pool = new pg.Pool({ connectionString: urlOf(engine), max: 1 });
    pool.on('error', () => undefined);
    const session = (): pg.Client => new pg.Client(urlOf(engine));
    const backend = (namespace: string): StopBackend => postgresBackend({ pool, session, namespace });
    await closeWhileSilent(engine, { backend, own: 1, end: () => pool.end() }, drains);
  });
});
