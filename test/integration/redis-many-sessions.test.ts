/**
 * Many sessions of one process over real engines that have lost everything: hosted again, beside the bare operations.
 */
import { Redis } from 'ioredis';
import pg from 'pg';
import { describe, expect, it } from 'vitest';

import { postgresBackend } from '../../src/adapters/postgres/index.ts';
import { redisBackend } from '../../src/adapters/redis/index.ts';
import { openStopBus, type StopBackend } from '../../src/remote/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { hasPostgres, startPostgres, urlOf } from '../support/engines/postgres.ts';
import { hasRedis, startRedis } from '../support/engines/redis.ts';
import { limitMs } from '../support/limit.ts';

/** The gate's few, or the long form's many. */
const MANY = Number(process.env['MANY_SESSIONS'] ?? 2_000);
const leaseMs = 15_000;

interface Engine {
  readonly backend: StopBackend;
  /** Loses everything. */
  readonly lose: () => Promise<void>;
  readonly count: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

async function redis(): Promise<Engine> {
  const engine = await startRedis();
  const [client, admin] = [new Redis(engine.port), new Redis(engine.port)];
  for (const one of [client, admin]) one.on('error', () => undefined);
  return {
    backend: redisBackend({ client }),
    lose: () => engine.restart(),
    // A lease beside the records, or not yet.
    count: async () => (await admin.dbsize().catch(() => 1)) - 1,
    stop: async () => {
      client.disconnect();
      admin.disconnect();
      await engine.stop();
    },
  };
}

async function postgres(): Promise<Engine> {
  const engine = await startPostgres();
  const [pool, admin] = [1, 2].map(() => new pg.Pool({ connectionString: urlOf(engine) })) as [pg.Pool, pg.Pool];
  for (const one of [pool, admin]) one.on('error', () => undefined);
  return {
    backend: postgresBackend({ pool, session: () => new pg.Client(urlOf(engine)) }),
    lose: async () => {
      await admin.query('truncate desist_stop_runs, desist_stop_inboxes, desist_stop_leases');
    },
    count: async () => {
      const { rows } = await admin.query<{ many: number }>('select count(*)::int as many from desist_stop_runs');
      return rows[0]?.many ?? 0;
    },
    stop: async () => {
      await Promise.all([pool.end(), admin.end()]);
      await engine.stop();
    },
  };
}

/** As many changes as there are sessions, as many at once as the engine takes, and nothing else. */
async function bareMs({ connect, caps }: StopBackend): Promise<number> {
  const quiet = { wake: () => undefined, resync: () => undefined, down: () => undefined };
  const connection = await connect('bare', quiet);
  const ids = Array.from({ length: MANY }, (_, n) => `bare-${String(n)}`);
  const to = 'x'.repeat(80);
  const from = performance.now();
  const send = async (): Promise<void> => {
    for (let runId = ids.pop(); runId !== undefined; runId = ids.pop())
      await connection.swap({
        ...{ runId, from: undefined, to, ttlMs: 1_000 },
        inboxes: [],
        hints: [],
        handled: false,
      });
  };
  await Promise.all(Array.from({ length: caps.mostAtOnce ?? 1_000 }, send));
  const tookMs = performance.now() - from;
  await connection.close(true);
  return tookMs;
}

describe.each([
  ['Redis', hasRedis, redis],
  ['PostgreSQL', hasPostgres, postgres],
] as const)('many sessions over %s', (name, isHere, start) => {
  it.runIf(isHere())(
    `D12 many sessions over ${name} that has lost everything are hosted again within a lease`,
    { timeout: 300_000 },
    async () => {
      const engine = await start();
      const bus = await openStopBus(engine.backend, { leaseMs, confirmMs: 120_000 });
      const sessions = new SessionRegistry({ bus });
      const opened = performance.now();
      const ready = Array.from({ length: MANY }, (_, n) => sessions.open(`run-${String(n)}`).ready());
      expect((await Promise.all(ready)).filter(Boolean).length).toBe(MANY);
      const openedMs = performance.now() - opened;
      await engine.lose();
      const lost = performance.now();
      await expect.poll(engine.count, { timeout: limitMs(200_000), interval: 20 }).toBeGreaterThanOrEqual(MANY);
      const backMs = performance.now() - lost;
      const bare = await bareMs(engine.backend);
      const figures = [openedMs, backMs, bare].map((ms) => Math.round(ms)).join(', ');
      process.stdout.write(`${name}: ${String(MANY)} sessions opened, hosted again, and bare, in ms: ${figures}\n`);
      // A loss without a restart is found by the next heartbeat; each session is looked at, and then written.
      expect(backMs).toBeLessThan(Math.max(leaseMs, leaseMs / 3 + bare * 4));
      await sessions.drain({ timeoutMs: 0 });
      await bus.close();
      await engine.stop();
    },
  );
});
