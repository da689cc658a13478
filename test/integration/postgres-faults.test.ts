/**
 * Stops over a real PostgreSQL while it, the network or the process that runs misbehaves.
 */

import pg from 'pg';
import { describe, expect, it } from 'vitest';

import { postgresBackend } from '../../src/adapters/postgres/index.ts';
import { hasPostgres, startPostgres, urlOf } from '../support/engines/postgres.ts';
import { startProxy } from './support/loopback-proxy.ts';
import { lostByPublishing, plainPostgres } from './support/publish-only.ts';
import { checkRunner, runnerFaults, stopFaultyRunner } from './support/runner-faults.ts';
import { faults, isLong, lineOf, stopsOf, stopUnder, wrongs } from './support/stop-faults.ts';

describe.runIf(hasPostgres())('stops over PostgreSQL under faults', () => {
  it.concurrent.each(faults)('D1 D2 D3 D5 PostgreSQL loses no stop to $name', { timeout: 300_000 }, async (fault) => {
    const { name, spreadMs, races, run } = fault;
    const engine = await startPostgres();
    const proxy = await startProxy(engine.port);
    const poolOf = (port: number): pg.Pool => {
      const pool = new pg.Pool({ connectionString: urlOf({ ...engine, port }), max: 20 });
      pool.on('error', () => undefined);
      return pool;
    };
    const [near, far] = [poolOf(engine.port), poolOf(proxy.port)];
    const backend = (pool: pg.Pool, port: number) =>
      postgresBackend({ pool, session: () => new pg.Client(urlOf({ ...engine, port })), minLeaseMs: 1_000 });
    try {
      const figures = await stopUnder({
        ...{ asking: backend(near, engine.port), running: backend(far, proxy.port), leaseMs: 9_000 },
        ...{ spreadMs, stops: stopsOf(fault), races: races === true, fault: () => run(engine, proxy) },
      });
      const plain = plainPostgres(engine.port, proxy.port);
      const published = await lostByPublishing(fault, plain, () => run(engine, proxy));
      process.stdout.write(lineOf(name, stopsOf(fault), figures, published));
      expect(wrongs(figures)).toEqual([0, 0, 0, 0]);
      if (fault.losesMessages && isLong) expect(published).toBeGreaterThan(0);
    } finally {
      await proxy.close();
      await Promise.all([near.end(), far.end()]);
      await engine.stop();
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
