import { describe, expect, it } from 'vitest';

import * as door from '../../../src/adapters/postgres/index.ts';

const { postgresBackend } = door;
const rows = (found: unknown) => ({ rows: [{ found }] });

describe('postgresBackend', () => {
  it('opens these names', () => {
    expect(Object.keys(door).sort()).toEqual(['postgresBackend', 'postgresTables']);
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'options must be an object, got undefined'],
    ['no pool', {}, 'pool must be a Pool of pg, got undefined'],
    ['an option that it does not know', { pool: {}, minLeaseMS: 1 }, 'options.minLeaseMS is no option'],
    ['a pool that runs nothing', { pool: {} }, 'pool must be a Pool of pg'],
    ['a session that is none', { pool: { query: () => undefined }, session: {} }, 'session must be a function'],
    ['a namespace that is none', { pool: { query: () => undefined }, namespace: 'A b' }, 'namespace must be a name'],
    ['a time that is none', { pool: { query: () => undefined }, minLeaseMs: -1 }, 'minLeaseMs'],
    ['a share that is none', { pool: { query: () => undefined }, poolShare: '5' }, 'poolShare must be a number'],
    [
      'no share at all',
      { pool: { query: () => undefined }, poolShare: 0 },
      'poolShare must be a whole number, 1 or more',
    ],
    ['a warning that is none', { pool: { query: () => undefined }, onWarning: 'x' }, 'onWarning must be a function'],
  ])('postgresBackend refuses %s', (_, options, words) => {
    expect(() => postgresBackend(options as never)).toThrow(words);
  });

  it('postgresBackend connects by its deadline to an engine that accepts and says nothing', async () => {
    const backend = postgresBackend({ pool: { query: () => new Promise(() => undefined) } });
    const events = { wake: () => undefined, resync: () => undefined, down: () => undefined };
    const connection = await backend.connect('a', events, { deadlineMs: 5 });
    await connection.close(false);
  });

  it('postgresBackend makes the tables once, tells of an engine that is away, and tries again for the next bus', async () => {
    const asked: string[] = [];
    const errors: unknown[] = [];
    let isAway = true;
    const backend = postgresBackend({
      pool: {
        query: ({ text }) => {
          asked.push(text.slice(0, 18));
          if (isAway) return Promise.reject(new Error('away'));
          return Promise.resolve(rows(asked.includes('select pg_advisory') ? 'a table' : null));
        },
      },
    });
    const events = { wake: () => undefined, resync: () => undefined, down: (error: unknown) => errors.push(error) };
    await backend.connect('a', events);
    isAway = false;
    await backend.connect('b', events);
    await backend.connect('c', events);
    expect(errors).toEqual([new Error('away')]);
    expect(asked).toEqual(['select to_regclass', 'select to_regclass', 'select pg_advisory', 'select to_regclass']);
    expect(backend.caps).toEqual({ durability: 'disk', push: false, minLeaseMs: 5_000, mostAtOnce: 5 });
  });

  it.each([
    [undefined, undefined, 5],
    [20, undefined, 10],
    [1, undefined, 1],
    [20, 20, 20],
  ])(
    'postgresBackend uses half of a pool at once: of %s connections, with a share of %s, %s',
    (max, poolShare, most) => {
      const query = () => Promise.resolve(rows(null));
      const { caps } = postgresBackend({ pool: { query, options: { max } }, poolShare });
      expect(caps.mostAtOnce).toBe(most);
    },
  );
});
