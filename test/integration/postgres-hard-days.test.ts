/**
 * Stops over a real PostgreSQL that is late, new, empty, far away, or behind a pooler.
 */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { postgresBackend } from '../../src/adapters/postgres/index.ts';
import { openStopBus } from '../../src/remote/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { hasPostgres, startPostgres, urlOf } from '../support/engines/postgres.ts';
import { freePort, type Engine } from '../support/engines/redis.ts';
import { hasPgBouncer, startPgBouncer } from './support/pgbouncer.ts';
import { startProxy } from './support/network/loopback-proxy.ts';
import { limitMs } from '../support/limit.ts';

const poolAt = (url: string, max = 10): pg.Pool => {
  const pool = new pg.Pool({ connectionString: url, max });
  pool.on('error', () => undefined);
  return pool;
};

describe.runIf(hasPostgres())('PostgreSQL on a hard day', { timeout: 120_000 }, () => {
  let engine: Engine;
  let opened = 0;
  beforeAll(async () => {
    engine = await startPostgres();
  });
  afterAll(() => engine.stop());

  it('PostgreSQL that comes later than the process is found, gets its tables, and carries its stops', async () => {
    const port = await freePort();
    const pool = poolAt(urlOf({ port }));
    const bus = await openStopBus(
      postgresBackend({ pool, session: () => new pg.Client(urlOf({ port })), namespace: 'late' }),
    );
    const events: string[] = [];
    bus.onEvent(({ type }) => events.push(type));
    const sessions = new SessionRegistry({ bus });
    const turn = sessions.open('job').controller.runTurn(({ token }) => token.whenCancelled());
    expect(events).toEqual(['degraded']);
    const late = await startProxy(engine.port, port);
    await expect.poll(async () => (await sessions.look('job')).state, { timeout: limitMs(60_000) }).toBe('open');
    expect(events).toEqual(['degraded', 'recovered']);
    await sessions.cancel('job', 'enough');
    expect((await turn).status).toBe('cancelled');
    await sessions.drain({ timeoutMs: 0 });
    await bus.close();
    await late.close();
    await pool.end();
  });

  it('PostgreSQL that has lost its tables gets them again, with what is hosted', async () => {
    const namespace = `hard_${String(++opened)}`;
    const pool = poolAt(urlOf(engine));
    const session = () => new pg.Client(urlOf(engine));
    const bus = await openStopBus(postgresBackend({ pool, session, namespace, minLeaseMs: 1_000 }), { leaseMs: 6_000 });
    const sessions = new SessionRegistry({ bus });
    expect(await sessions.open('job').ready()).toBe(true);
    await pool.query(['runs', 'inboxes', 'leases'].map((name) => `drop table "${namespace}_stop_${name}"`).join('; '));
    await expect.poll(async () => (await sessions.look('job')).state, { timeout: limitMs(60_000) }).toBe('open');
    await sessions.drain({ timeoutMs: 0 });
    await bus.close();
    await pool.end();
  });

  it('PostgreSQL that is far away takes two thousand sessions with a statement for each, and leaves half of the pool alone', async () => {
    const far = await startProxy(engine.port, 0, 10);
    const pool = poolAt(urlOf({ port: far.port }));
    let [asked, under, most] = [0, 0, 0];
    const query = pool.query.bind(pool) as (asked: unknown) => Promise<{ rows: unknown[] }>;
    const counted = {
      options: { max: 10 },
      query: async (one: { readonly text: string }) => {
        const isClaim = one.text.includes('listed as');
        asked += Number(isClaim);
        most = Math.max(most, ++under);
        try {
          return await query(one);
        } finally {
          under--;
        }
      },
    };
    const session = () => new pg.Client(urlOf({ port: far.port }));
    const bus = await openStopBus(postgresBackend({ pool: counted, session, namespace: `hard_${String(++opened)}` }), {
      confirmMs: 90_000,
    });
    const sessions = new SessionRegistry({ bus });
    const ready = await Promise.all(Array.from({ length: 2_000 }, (_, n) => sessions.open(`run-${String(n)}`).ready()));
    expect([ready.filter(Boolean).length, asked]).toEqual([2_000, 2_000]);
    // One more asks whether notifications come through.
    expect(most).toBeLessThanOrEqual(6);
    await bus.close({ timeoutMs: 0 });
    await pool.end();
    await far.close();
  });

  it.runIf(hasPgBouncer())(
    'PostgreSQL behind PgBouncer in transaction mode: that the session is deaf is noticed, and stops are carried all the same',
    async () => {
      const bouncer = await startPgBouncer(engine.port);
      const pools = [poolAt(bouncer.url), poolAt(urlOf(engine))];
      try {
        for (const pool of pools) {
          const warnings: string[] = [];
          const backend = postgresBackend({
            ...{ pool, session: () => new pg.Client(bouncer.url), namespace: `hard_${String(++opened)}` },
            ...{ minLeaseMs: 1_000, onWarning: (text: string) => warnings.push(text) },
          });
          const [front, worker] = [await openStopBus(backend, { leaseMs: 6_000 }), await openStopBus(backend, { leaseMs: 6_000 })]; // prettier-ignore
          const [asking, working] = [new SessionRegistry({ bus: front }), new SessionRegistry({ bus: worker })];
          const turn = working.open('run').controller.runTurn(({ token }) => token.whenCancelled());
          await expect
            .poll(() => warnings, { timeout: limitMs(30_000) })
            .toEqual([expect.stringContaining('transaction mode')]);
          const { status } = await asking.cancel('run', 'enough', { wait: 'settled', timeoutMs: 60_000 });
          expect([status, (await turn).status]).toEqual(['settled', 'cancelled']);
          await working.drain({ timeoutMs: 0 });
          await Promise.all([front.close(), worker.close()]);
        }
      } finally {
        await Promise.all(pools.map((pool) => pool.end()));
        await bouncer.stop();
      }
    },
  );
});
