import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';

import { PostgresConnection } from '../../../src/adapters/postgres/connection.ts';
import { namesOf } from '../../../src/adapters/postgres/tables.ts';
import type { PostgresQuery, PostgresSession } from '../../../src/adapters/postgres/client.ts';
import type { StopBackendEvents } from '../../../src/remote/backend.ts';

const names = namesOf('case');
const answer = {
  previous: 'before',
  pending: '[["r","x"]]',
  now: 7,
  swapped: true,
  value: 'x',
  node: 'host',
  run_id: 'r',
};
const change = { runId: 'r', from: undefined, to: 'x', ttlMs: 60_000, inboxes: [], hints: [], handled: false };

/** A connection, what it asked of the pool and of its session, and what it told. */
function connect() {
  const asked = { pool: [] as PostgresQuery[], session: [] as PostgresQuery[] };
  const told: string[] = [];
  const emitter = new EventEmitter();
  const query = (list: PostgresQuery[]) => (one: PostgresQuery) => {
    list.push(one);
    return Promise.resolve({ rows: [answer] });
  };
  const events: StopBackendEvents = {
    wake: (runId, value) => told.push(`wake ${runId} ${value ?? ''}`),
    resync: () => told.push('resync'),
    down: () => told.push('down'),
  };
  const session = (): PostgresSession => ({
    query: query(asked.session),
    connect: () => Promise.resolve(),
    end: () => Promise.resolve(),
    on: (event: string, listener: (...args: never[]) => void) => emitter.on(event, listener as never),
  });
  const pool = { query: query(asked.pool) };
  const parts = { pool, session, names, isDeaf: () => undefined, makeTables: undefined, limits: { deadlineMs: 700 } };
  return { connection: new PostgresConnection(parts, 'host', events), asked, told, emitter };
}

describe('a connection to PostgreSQL', () => {
  it('a connection to PostgreSQL sends the heartbeat over its session once it listens, and bounds each statement on the pool', async () => {
    const { connection, asked } = connect();
    expect(await connection.pull(1, 'g')).toEqual({
      previous: 'before',
      pending: [{ runId: 'r', value: 'x' }],
      now: 7,
    });
    await connection.listen();
    expect(asked.session[0]?.text).toBe('listen "case_host"');
    // Whether notifications come through is asked by the other way.
    expect(asked.pool.at(-1)).toMatchObject({ text: 'select pg_notify($1, $2)', values: ['case_host', 'probe'] });
    asked.session.length = asked.pool.length = 0;
    await connection.pull(1, 'g');
    expect([asked.pool.length, asked.session.length]).toEqual([0, 1]);
    asked.pool.length = 0;
    await connection.swap(change);
    expect(await connection.alive(['host', 'other'])).toEqual([true, false]);
    expect(asked.pool.map((query) => query.query_timeout)).toEqual([700, 700]);
    await connection.close(true);
  });

  it('a connection to PostgreSQL takes no wake-up that somebody else has sent', async () => {
    const { connection, told, emitter } = connect();
    await connection.listen();
    for (const payload of [undefined, '', 'no JSON', '{}', '[7]', '["r"]', '["r","x"]']) {
      emitter.emit('notification', { channel: 'case_host', payload });
    }
    expect(told).toEqual(['wake r ', 'wake r x']);
    await connection.close(true);
  });

  it('a connection to PostgreSQL sends a record with the wake-up only where the engine takes one of that length', async () => {
    const { connection, asked } = connect();
    const sent = async (to: string) => {
      await connection.swap({ ...change, to });
      return asked.pool.at(-1)?.values?.[7];
    };
    expect(await sent('short')).toBe('["r","short"]');
    expect(await sent('é'.repeat(3_700))).toHaveLength(3_700 + 8);
    expect(await sent('é'.repeat(3_800))).toBe('["r"]');
  });

  it('a connection to PostgreSQL removes what has expired with every twentieth heartbeat', async () => {
    const { connection, asked } = connect();
    for (let n = 0; n < 40; n++) await connection.pull(1, 'g');
    expect(asked.pool.filter(({ text }) => text.includes('limit 500')).length).toBe(2);
  });

  it('a connection to PostgreSQL makes the tables when a statement misses them, and sends it again', async () => {
    const missing = Object.assign(new Error('relation does not exist'), { code: '42P01' });
    const told: string[] = [];
    let isThere = false;
    const pool = {
      query: ({ text }: PostgresQuery) => {
        told.push(text.trim().slice(0, 6));
        return isThere ? Promise.resolve({ rows: [answer] }) : Promise.reject(missing);
      },
    };
    const makeTables = () => (told.push('made'), (isThere = true), Promise.resolve());
    const parts = { pool, session: undefined, names, isDeaf: () => undefined, limits: { deadlineMs: 700 } };
    const nobody = { wake: () => undefined, resync: () => undefined, down: () => undefined };
    const ours = new PostgresConnection({ ...parts, makeTables }, 'host', nobody);
    expect((await ours.read('r')).value).toBe('x');
    isThere = false;
    expect((await ours.pull(1, 'g')).previous).toBe('before');
    expect(told).toEqual(['select', 'made', 'select', 'with b', 'made', 'with b']);
    isThere = false;
    const migrated = new PostgresConnection({ ...parts, makeTables: undefined }, 'host', nobody);
    await expect(migrated.read('r')).rejects.toBe(missing);
  });

  it('a connection to PostgreSQL asks nothing for nobody, and tells nothing once it is closed', async () => {
    const { connection, asked, told } = connect();
    expect([await connection.renew([], 1), await connection.alive([]), asked.pool]).toEqual([[], [], []]);
    connection.reset();
    await connection.close(false);
    connection.reset();
    await connection.listen();
    await Promise.resolve();
    expect([told, asked.session]).toEqual([[], []]);
  });
});
