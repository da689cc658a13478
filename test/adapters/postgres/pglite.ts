/**
 * PGlite in the shapes of `pg`: one database in this process, with as many sessions as are asked for.
 *
 * @module
 */
import { EventEmitter } from 'node:events';

import type { PGlite } from '@electric-sql/pglite';
import type { PostgresPool, PostgresSession } from '../../../src/adapters/postgres/client.ts';

/** Its pool. */
export function poolOf(db: PGlite): PostgresPool {
  return {
    query: async ({ text, values }) => {
      if (values !== undefined) return db.query(text, values);
      const results = await db.exec(text);
      return { rows: results.at(-1)?.rows ?? [] };
    },
  };
}

/** A session of its own. */
export function sessionOf(db: PGlite): PostgresSession {
  const events = new EventEmitter();
  const forget = db.onNotification((channel, payload) => events.emit('notification', { channel, payload }));
  return {
    ...poolOf(db),
    connect: () => Promise.resolve(),
    end: () => {
      forget();
      return Promise.resolve();
    },
    on: (event: string, listener: (...args: never[]) => void) => events.on(event, listener as never),
  };
}
