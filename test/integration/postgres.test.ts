/**
 * Stops over a real PostgreSQL with the real `pg`, and over PGlite, which is always there.
 */
import { createHash } from 'node:crypto';

import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { postgresBackend, postgresTables } from '../../src/adapters/postgres/index.ts';
import { statementsOf } from '../../src/adapters/postgres/statements.ts';
import { namesOf, tableStatements } from '../../src/adapters/postgres/tables.ts';
import { openStopBus } from '../../src/remote/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { stopBackendSuite } from '../../src/testing/index.ts';
import { poolOf, sessionOf } from '../adapters/postgres/pglite.ts';
import { hasPostgres, startPostgres, urlOf } from '../support/engines/postgres.ts';
import type { Engine } from '../support/engines/redis.ts';

const names = namesOf('stmt');
const sql = statementsOf(names);
let opened = 0;
const namespace = () => `case_${String(++opened)}`;

describe('PGlite', () => {
  let db: PGlite;

  beforeAll(async () => {
    db = await PGlite.create();
  }, 60_000);
  afterAll(() => db.close());

  const open = () => postgresBackend({ pool: poolOf(db), session: () => sessionOf(db), namespace: namespace() });

  const lose = async (): Promise<void> => {
    const { records, inboxes, leases } = namesOf(`case_${String(opened)}`);
    await db.exec(`drop table ${records}, ${inboxes}, ${leases}`);
  };

  it.each(stopBackendSuite({ open, lose }))('PGlite: $title', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  it('PGlite: the statements remove what has expired, 500 of each table at a time, and nothing else', async () => {
    await db.exec(tableStatements(names));
    const past = "now() - interval '1 second'";
    await db.exec(`insert into ${names.records} select 'old' || n, 'x', ${past} from generate_series(1, 1200) as n`);
    await db.exec(`insert into ${names.records} values ('new', 'x', now() + interval '1 hour')`);
    await db.exec(`insert into ${names.inboxes} values ('n', 'old', ${past}), ('n', 'new', now() + interval '1 hour')`);
    await db.exec(
      `insert into ${names.leases} values ('dead', 'g', ${past}), ('alive', 'g', now() + interval '1 hour')`,
    );
    const left = async () => {
      const count = async (table: string) =>
        (await db.query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0]?.n;
      return [await count(names.records), await count(names.inboxes), await count(names.leases)];
    };
    await db.query(sql.sweep);
    expect(await left()).toEqual([701, 1, 1]);
    await db.query(sql.sweep);
    await db.query(sql.sweep);
    expect(await left()).toEqual([1, 1, 1]);
  });

  it('PGlite: the statements find records, inboxes and leases by index', async () => {
    await db.exec(`${tableStatements(names)}; set enable_seqscan = off`);
    for (const [text, values] of [
      [sql.read, ['a']],
      [sql.alive, [['a']]],
      [sql.renew, [['a'], 1]],
    ] as const) {
      const plan = await db.query<Record<string, string>>(`explain ${text}`, values as unknown as unknown[]);
      expect(plan.rows.map((row) => Object.values(row)[0]).join('\n')).toMatch(/Index|Bitmap/);
    }
  });
});

describe.runIf(hasPostgres())('PostgreSQL with pg', () => {
  let engine: Engine;
  let pool: pg.Pool;
  const session = () => new pg.Client(urlOf(engine));

  beforeAll(async () => {
    engine = await startPostgres();
    pool = new pg.Pool({ connectionString: urlOf(engine), max: 20 });
    pool.on('error', () => undefined);
  }, 60_000);

  afterAll(async () => {
    await pool.end();
    await engine.stop();
  });

  const open = (options = {}) => postgresBackend({ pool, session, namespace: namespace(), ...options });

  const lose = async (): Promise<void> => {
    const { records, inboxes, leases } = namesOf(`case_${String(opened)}`);
    await pool.query(`truncate ${records}, ${inboxes}, ${leases}`);
  };

  it.each(stopBackendSuite({ open, lose }))('PostgreSQL with pg: $title', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  it('S32 PostgreSQL takes a stop to the process that hosts the session, early or not, and brings its report back', async () => {
    const backend = open();
    await using front = await openStopBus(backend);
    await using worker = await openStopBus(backend);
    const [asking, working] = [new SessionRegistry({ bus: front }), new SessionRegistry({ bus: worker })];
    await asking.cancel('early', 'changed my mind');
    const early = await working.open('early').controller.runTurn(async ({ token }) => token.whenCancelled());
    const turn = working.open('run').controller.runTurn(async ({ token }) => token.whenCancelled());
    const { status, reason } = await asking.cancel('run', { kind: 'user', by: 'ada' }, { wait: 'settled' });
    expect([early.status, status, reason.by, (await turn).status]).toEqual([
      'cancelled',
      'settled',
      'ada',
      'cancelled',
    ]);
    await working.drain({ timeoutMs: 0 });
  });

  it('PostgreSQL without a session carries stops by the heartbeat', async () => {
    const backend = open({ session: undefined, minLeaseMs: 1_000 });
    await using front = await openStopBus(backend, { leaseMs: 1_200 });
    await using worker = await openStopBus(backend, { leaseMs: 1_200 });
    const [asking, working] = [new SessionRegistry({ bus: front }), new SessionRegistry({ bus: worker })];
    const turn = working.open('run').controller.runTurn(async ({ token }) => token.whenCancelled());
    const { status } = await asking.cancel('run', 'enough', { wait: 'settled' });
    expect([status, (await turn).status, backend.caps.push]).toEqual(['settled', 'cancelled', false]);
    await working.drain({ timeoutMs: 0 });
  });

  it('PostgreSQL that crashes keeps every stop, and whoever waits hears of it when it is back', async () => {
    const backend = open({ minLeaseMs: 1_000 });
    await using front = await openStopBus(backend, { leaseMs: 6_000 });
    await using worker = await openStopBus(backend, { leaseMs: 6_000 });
    const [asking, working] = [new SessionRegistry({ bus: front }), new SessionRegistry({ bus: worker })];
    const turn = working.open('run').controller.runTurn(async ({ token }) => token.whenCancelled());
    await asking.cancel('other', 'is kept');
    await engine.restart();
    const { status } = await asking.cancel('run', 'enough', { wait: 'settled', timeoutMs: 20_000 });
    expect([status, (await turn).status]).toEqual(['settled', 'cancelled']);
    const other = await working.open('other').controller.runTurn(async ({ token }) => token.whenCancelled());
    expect(other.stop?.reason?.message).toBe('is kept');
    await working.drain({ timeoutMs: 0 });
  });

  it('PostgreSQL behind a pooler that forgets LISTEN is warned of, and carries stops by the heartbeat', async () => {
    const warnings: string[] = [];
    // What PgBouncer does in transaction mode: the next statement has another server.
    const forgetful = () => {
      const client = session();
      const query = client.query.bind(client) as (query: unknown) => Promise<pg.QueryResult>;
      client.query = (async (asked: { text: string }) => {
        const result = await query(asked);
        if (asked.text.startsWith('listen')) await query('unlisten *');
        return result;
      }) as never;
      return client;
    };
    const backend = open({ session: forgetful, minLeaseMs: 1_000, onWarning: (text: string) => warnings.push(text) });
    await using front = await openStopBus(backend, { leaseMs: 1_200 });
    await using worker = await openStopBus(backend, { leaseMs: 1_200 });
    const [asking, working] = [new SessionRegistry({ bus: front }), new SessionRegistry({ bus: worker })];
    const turn = working.open('run').controller.runTurn(async ({ token }) => token.whenCancelled());
    const { status } = await asking.cancel('run', 'enough', { wait: 'settled' });
    expect([status, (await turn).status]).toEqual(['settled', 'cancelled']);
    void working.open('long').controller.runTurn(async ({ token }) => token.whenCancelled());
    await expect.poll(() => warnings).toEqual([expect.stringContaining('transaction mode')]);
    await working.drain({ timeoutMs: 0 });
  });

  it('PostgreSQL carries two hundred stops at once over a pool of one, of runs with ids of any text', async () => {
    const one = new pg.Pool({ connectionString: urlOf(engine), max: 1 });
    const backend = open({ pool: one });
    await using front = await openStopBus(backend, { confirmMs: 30_000 });
    await using worker = await openStopBus(backend);
    const [asking, working] = [new SessionRegistry({ bus: front }), new SessionRegistry({ bus: worker })];
    const long = Array.from({ length: 600 }, (_, n) => createHash('md5').update(String(n)).digest('hex')).join('');
    const odd = ['ключ', "a'b; drop table x; --", '👩‍👩‍👧', '\n', '%', 'a\0b', 'x'.repeat(2_500), long];
    const ids = [...odd, ...Array.from({ length: 200 - odd.length }, (_, n) => `run-${String(n)}`)];
    const statuses = await Promise.all(
      ids.map(async (id) => {
        const session = working.open(id);
        await session.ready();
        const turn = session.controller.runTurn(({ token }) => token.whenCancelled());
        const { status } = await asking.cancel(id, 'enough', { wait: 'settled', timeoutMs: 30_000 });
        return status === 'settled' ? (await turn).status : status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set(['cancelled']));
    expect((await asking.cancel('after')).status).toBe('pending');
    await working.drain({ timeoutMs: 0 });
    await Promise.all([front.close(), worker.close()]);
    await one.end();
  });

  it('PostgreSQL whose tables are not ours is said to be away to who listens, also later', async () => {
    const taken = namespace();
    await pool.query(`create table "${taken}_stop_leases" (something_else int)`);
    await using bus = await openStopBus(open({ namespace: taken }), { confirmMs: 200 });
    const events: string[] = [];
    bus.onEvent((event) => {
      events.push(event.type === 'degraded' ? String(event.error) : event.type);
    });
    expect(events).toEqual([expect.stringContaining('does not exist')]);
    expect((await new SessionRegistry({ bus }).cancel('run')).status).toBe('unconfirmed');
  });

  it('PostgreSQL gets its tables from many processes at once, or from a migration', async () => {
    const shared = namespace();
    const buses = await Promise.all(
      Array.from({ length: 20 }, () => openStopBus(open({ namespace: shared, session: undefined }))),
    );
    await Promise.all(buses.map((bus) => bus.close()));
    const own = namespace();
    await pool.query(postgresTables(own));
    await pool.query(postgresTables(own));
    await using bus = await openStopBus(open({ namespace: own, createTables: false }));
    expect((await new SessionRegistry({ bus }).cancel('a')).status).toBe('pending');
  });
});
