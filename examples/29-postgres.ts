/**
 * Stops over PostgreSQL: set DATABASE_URL, and start it in as many processes as you like. Without it, PGlite is the engine, in
 * this process.
 */
import { PGlite } from '@electric-sql/pglite';
import { delay } from 'desist';
import { postgresBackend } from 'desist/postgres';
import { openStopBus } from 'desist/remote';
import { SessionRegistry } from 'desist/sessions';
import pg from 'pg';

const url = process.env['DATABASE_URL'];
const pool = url === undefined ? undefined : new pg.Pool({ connectionString: url });
const lite = url === undefined ? await PGlite.create() : undefined;

const backend =
  pool !== undefined
    ? postgresBackend({ pool, session: () => new pg.Client(url), namespace: 'example' })
    : postgresBackend({
        pool: {
          query: async ({ text, values }) =>
            values === undefined ? { rows: (await lite!.exec(text)).at(-1)!.rows } : lite!.query(text, values),
        },
      });

const leaseMs = 5_000;
const bus = await openStopBus(backend, { leaseMs });
const sessions = new SessionRegistry({ bus });
const turn = sessions.open('chat-1').controller.runTurn(({ token }) => delay(token, 60_000));

const elsewhere = await openStopBus(backend, { leaseMs });
const { status } = await new SessionRegistry({ bus: elsewhere }).cancel('chat-1', 'user', { wait: 'settled' });
console.log(status, (await turn).status);

await sessions.drain({ timeoutMs: 0 });
await Promise.all([bus.close(), elsewhere.close()]);
await pool?.end();
await lite?.close();

// Output:
// settled cancelled
