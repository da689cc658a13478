import { describe, expect, it } from 'vitest';

import { namesOf, postgresTables, tableStatements } from '../../../src/adapters/postgres/tables.ts';

describe('the tables of PostgreSQL', () => {
  it('the tables of PostgreSQL are called after their namespace', () => {
    const sql = postgresTables('agents');
    expect(sql.match(/create table if not exists "\w+"/g)).toEqual(
      ['runs', 'inboxes', 'leases'].map((part) => `create table if not exists "agents_stop_${part}"`),
    );
    expect(postgresTables()).toBe(tableStatements(namesOf('desist')));
  });

  it.each([undefined, '', 'Agents', 'a-b', '7a', 'a"; drop table x; --', 'é', 'x'.repeat(33), 7])(
    'the tables of PostgreSQL have no namespace %o',
    (namespace) => {
      expect(() => namesOf(namespace)).toThrow('namespace must be a name');
    },
  );
});
