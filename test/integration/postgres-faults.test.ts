/**
 * Stops over a real PostgreSQL while it, the network or the process that runs misbehaves.
 */

import pg from 'pg';
import { describe, it } from 'vitest';

import { postgresBackend } from '../../src/adapters/postgres/index.ts';
import { hasPostgres, postgresAnswers, startPostgres, urlOf } from '../support/engines/postgres.ts';
import { standFault, type Parties, type Place } from './support/fault-scene.ts';
import { faults, type Fault } from './support/faults.ts';
import { hasPgBouncer, startPgBouncer } from './support/pgbouncer.ts';
import { plainPostgres } from './support/publish-only.ts';
import { checkRunner, runnerFaults, stopFaultyRunner } from './support/runner-faults.ts';
import { isLong } from './support/stop-faults.ts';

async function enter({ needs }: Fault, { engine, near, far }: Place): Promise<Parties> {
  const bouncer = needs === 'pooler' ? await startPgBouncer(far.port) : undefined;
  const [nearUrl, farUrl] = [urlOf(near), bouncer?.url ?? urlOf(far)];
  const poolAt = (connectionString: string): pg.Pool => {
    const pool = new pg.Pool({ connectionString, max: 20 });
    pool.on('error', () => undefined);
    return pool;
  };
  const pools = { asking: poolAt(nearUrl), running: poolAt(farUrl), admin: poolAt(urlOf(engine)) };
  const backend = (pool: pg.Pool, url: string) =>
    postgresBackend({ pool, session: () => new pg.Client(url), minLeaseMs: 1_000, onWarning: () => undefined });
  return {
    ...{ asking: backend(pools.asking, nearUrl), running: backend(pools.running, farUrl) },
    isServed: async () => (await Promise.all([nearUrl, farUrl].map(postgresAnswers))).every(Boolean),
    forget: async () => {
      await pools.admin.query('truncate desist_stop_runs, desist_stop_inboxes, desist_stop_leases');
    },
    close: async () => {
      await Promise.all(Object.values(pools).map((pool) => pool.end()));
      await bouncer?.stop();
    },
  };
}

const met = faults.filter(({ needs }) => needs !== 'disk' && (needs !== 'pooler' || hasPgBouncer()));

describe.runIf(hasPostgres())('stops over PostgreSQL under faults', () => {
  it.concurrent.each(met)('S53 D1 D2 D3 D5 PostgreSQL loses no stop to $name', { timeout: 300_000 }, (fault) =>
    standFault(fault, {
      start: startPostgres,
      enter: (place) => enter(fault, place),
      publishing: plainPostgres,
      isMany: isLong,
    }),
  );

  it.concurrent.each(runnerFaults)(
    'D5 D6 D7 D8 PostgreSQL: a runner that is %s',
    { timeout: 300_000 },
    async (fault) => {
      await checkRunner(fault, async () => {
        const engine = await startPostgres();
        try {
          return await stopFaultyRunner('postgres', engine.port, fault);
        } finally {
          await engine.stop();
        }
      });
    },
  );
});
