/**
 * Stops of groups over a real PostgreSQL.
 */
import pg from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';

import { postgresBackend } from '../../src/adapters/postgres/index.ts';
import { hasPostgres, startPostgres, urlOf } from '../support/engines/postgres.ts';
import type { Engine } from '../support/engines/redis.ts';
import { listsAgain, stopsWhoIsThere } from './support/group-stops.ts';

describe.runIf(hasPostgres())('PostgreSQL', { timeout: 120_000 }, () => {
  let engine: Engine;
  let pool: pg.Pool;

  beforeAll(async () => {
    engine = await startPostgres();
    pool = new pg.Pool({ connectionString: urlOf(engine) });
    pool.on('error', () => undefined);
  }, 60_000);
  afterAll(async () => {
    await pool.end();
    await engine.stop();
  });

  const open = (namespace: string) =>
    postgresBackend({ pool, session: () => new pg.Client(urlOf(engine)), namespace, minLeaseMs: 1_000 });

  it('S52 PostgreSQL takes a stop to everybody who is in a group, and to nobody else', async () => {
    await stopsWhoIsThere(open('groups'));
  });

  it('S52 PostgreSQL that is emptied lists everybody again', async () => {
    await listsAgain(open('again'), async () => {
      await pool.query('truncate again_stop_runs, again_stop_inboxes, again_stop_leases');
    });
  });
});
