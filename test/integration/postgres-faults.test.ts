/**
 * Stops over a real PostgreSQL while it, the network or the process that runs misbehaves.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import pg from 'pg';
import { describe, expect, it } from 'vitest';

import { postgresBackend } from '../../src/adapters/postgres/index.ts';
import { hasPostgres, startPostgres, urlOf } from '../support/engines/postgres.ts';
import type { Engine } from '../support/engines/redis.ts';
import { startProxy, type LoopbackProxy } from './support/loopback-proxy.ts';
import { STOPS, stopUnder } from './support/stop-faults.ts';

type Fault = readonly [string, number, boolean, (engine: Engine, proxy: LoopbackProxy) => Promise<void>];

const cuts: Fault = [
  "a runner's sockets that are cut every 300 ms",
  3_000,
  false,
  async (_, proxy) => {
    for (let n = 0; n < 10; n++) {
      await sleep(300);
      proxy.cut();
    }
  },
];
const partition: Fault = [
  'a partition of 3 s',
  3_500,
  false,
  async (_, proxy) => {
    proxy.part();
    await sleep(3_000);
    proxy.heal();
  },
];
const race: Fault = ['stops that race with registration', 500, true, () => Promise.resolve()];
const kills: Fault = [
  'an engine that is killed twice',
  4_000,
  false,
  async (engine) => {
    for (const _ of [1, 2]) {
      await sleep(1_000);
      await engine.restart();
    }
  },
];

describe.runIf(hasPostgres())('stops over PostgreSQL under faults', () => {
  it.concurrent.each([cuts, partition, race, kills])(
    'D1 D2 D3 D5 PostgreSQL loses no stop to %s',
    { timeout: 300_000 },
    async (name, spreadMs, races, run) => {
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
          ...{ spreadMs, races, fault: () => run(engine, proxy) },
        });
        const said = Object.entries(figures).map(([what, count]) => `${what} ${String(count)}`);
        process.stdout.write(`${name}: of ${String(STOPS)} stops ${said.join(', ')}\n`);
        expect(figures).toEqual({ lost: 0, falselyConfirmed: 0, doubled: 0 });
      } finally {
        await proxy.close();
        await Promise.all([near.end(), far.end()]);
        await engine.stop();
      }
    },
  );
});
