import { describe, expect, it } from 'vitest';

import { statementsOf } from '../../../src/adapters/postgres/statements.ts';
import { namesOf } from '../../../src/adapters/postgres/tables.ts';

const sql = Object.entries(statementsOf(namesOf('agents')));

describe('the statements of PostgreSQL', () => {
  it.each(sql)(
    'the statements of PostgreSQL: %s is one, of our tables only, with its parameters in order',
    (_, text) => {
      expect(text).not.toContain(';');
      for (const [table] of text.matchAll(/"\w+"/g)) expect(table).toMatch(/^"agents_stop_(?:runs|inboxes|leases)"$/);
      const used = [...new Set([...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))].sort(
        (a, b) => a - b,
      );
      expect(used).toEqual(used.map((_, index) => index + 1));
    },
  );
});
