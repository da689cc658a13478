/**
 * Stops over a real PostgreSQL while it, the network or the process that runs misbehaves.
 */

import pg from 'pg';
import { describe, expect, it } from 'vitest';

import { postgresBackend } from '../../src/adapters/postgres/index.ts';
import { hasPostgres, postgresAnswers, startPostgres, urlOf } from '../support/engines/postgres.ts';
import { faults, stopsOf, type Fault } from './support/faults.ts';
import { startProxy } from './support/network/loopback-proxy.ts';
import { hasPgBouncer, startPgBouncer } from './support/pgbouncer.ts';
import { lostByPublishing, plainPostgres } from './support/publish-only.ts';
import { checkRunner, runnerFaults, stopFaultyRunner } from './support/runner-faults.ts';
import { isLong, lineOf, stopUnder, wrongs } from './support/stop-faults.ts';

async function sceneOf({ needs }: Fault) {
  const first = await startPostgres();
  const engines = [first];
  const [near, far] = [await startProxy(first.port), await startProxy(first.port)];
  const bouncer = needs === 'pooler' ? await startPgBouncer(far.port) : undefined;
  const [nearUrl, farUrl] = [urlOf(near), bouncer?.url ?? urlOf(far)];
  const poolAt = (connectionString: string): pg.Pool => {
    const pool = new pg.Pool({ connectionString, max: 20 });
    pool.on('error', () => undefined);
    return pool;
  };
  const pools = { asking: poolAt(nearUrl), running: poolAt(farUrl), admin: poolAt(urlOf(first)) };
  const backend = (pool: pg.Pool, url: string) =>
    postgresBackend({ pool, session: () => new pg.Client(url), minLeaseMs: 1_000, onWarning: () => undefined });
  return {
    ...{ engine: first, near, far },
    ...{ asking: backend(pools.asking, nearUrl), running: backend(pools.running, farUrl) },
    failOver: async (): Promise<void> => {
      const next = await startPostgres();
      engines.push(next);
      await first.stop();
      await Promise.all([near, far].map((proxy) => proxy.behave({ target: next.port })));
    },
    isServed: async (): Promise<boolean> => {
      const served = await Promise.all([nearUrl, farUrl].map(postgresAnswers));
      return served.every(Boolean);
    },
    forget: async (): Promise<void> => {
      await pools.admin.query('truncate desist_stop_runs, desist_stop_inboxes, desist_stop_leases');
    },
    close: async (): Promise<void> => {
      await Promise.all([near.close(), far.close()]);
      await Promise.all(Object.values(pools).map((pool) => pool.end()));
      await bouncer?.stop();
      await Promise.all(engines.map((engine) => engine.stop()));
    },
  };
}

const met = faults.filter(({ needs }) => needs !== 'disk' && (needs !== 'pooler' || hasPgBouncer()));

describe.runIf(hasPostgres())('stops over PostgreSQL under faults', () => {
  it.concurrent.each(met)('D1 D2 D3 D5 PostgreSQL loses no stop to $name', { timeout: 300_000 }, async (fault) => {
    const scene = await sceneOf(fault);
    const { asking, running, engine, far } = scene;
    const { spreadMs, races, skewMs, losesMessages } = fault;
    try {
      const figures = await stopUnder({
        ...{ asking, running, leaseMs: 9_000, spreadMs, races, skewMs, stops: stopsOf(fault) },
        fault: () => fault.run(scene),
        isServed: scene.isServed,
      });
      const published =
        losesMessages === undefined
          ? undefined
          : await lostByPublishing(fault, plainPostgres(engine.port, far.port), () => fault.run(scene));
      process.stdout.write(lineOf(fault.name, stopsOf(fault), figures, published));
      expect(wrongs(figures)).toEqual({});
      if (losesMessages === true && isLong) expect(published).toBeGreaterThan(0);
    } finally {
      await scene.close();
    }
  });

  it.concurrent.each(runnerFaults)(
    'D5 D6 D7 D8 PostgreSQL: a runner that is %s',
    { timeout: 300_000 },
    async (fault) => {
      const engine = await startPostgres();
      try {
        checkRunner(fault, await stopFaultyRunner('postgres', engine.port, fault));
      } finally {
        await engine.stop();
      }
    },
  );
});
