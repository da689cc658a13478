/**
 * The door `desist/postgres`: stops between processes over PostgreSQL, with the pool that you have already.
 *
 * @module desist/postgres
 */
import type { StopBackend } from '../../remote/backend.ts';
import {
  isObject,
  type OptionNames,
  requireFunction,
  requireMs,
  requireOptions,
  show,
  systemClock,
  waitAtMost,
} from '../../core/inside.ts';
import type { PostgresPool, PostgresSession } from './client.ts';
import { PostgresConnection } from './connection.ts';
import { namesOf, tableStatements, type Names } from './tables.ts';
export { postgresTables } from './tables.ts';

/**
 * Options of {@link postgresBackend}.
 *
 * @since 0.1.0
 */
export interface PostgresBackendOptions {
  /** Runs the operations, and stays yours. */
  readonly pool: PostgresPool;
  /**
   * How many of the pool's connections are used at once, so that your own queries find one; half of `pool.options.max` by
   * default, or 5.
   */
  readonly poolShare?: number | undefined;
  /**
   * Makes a client that is not connected yet, with a URL that reaches the server itself and no pooler in transaction mode:
   * `() => new Client(url)`. Without it nobody is woken, and a stop is found by the next heartbeat.
   */
  readonly session?: (() => PostgresSession) | undefined;
  /** Keeps deployments apart that share a database, and begins the names of the tables; `desist` by default. */
  readonly namespace?: string | undefined;
  /** Whether the tables are made where they are not there; they are by default. See {@link postgresTables}. */
  readonly createTables?: boolean | undefined;
  /** The shortest lease, in milliseconds: longer than a failover of this engine takes; 5,000 by default. */
  readonly minLeaseMs?: number | undefined;
  /** Hears that notifications do not come through `session`. `process.emitWarning` by default. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

const optionNames: OptionNames<PostgresBackendOptions> = {
  pool: 1,
  poolShare: 1,
  session: 1,
  namespace: 1,
  createTables: 1,
  minLeaseMs: 1,
  onWarning: 1,
};

/** How many connections a pool of `pg` has where nobody says. */
const POOL_SIZE = 10;
/** For how long the making of tables is waited for, and operations by whoever does not say. */
const DEADLINE_MS = 5_000;

/** One lock for whoever makes tables: two at once fail, though both say "if not exists". */
const TABLE_LOCK = 7_367_041;

/**
 * Carries stops over PostgreSQL 12 or newer, at the isolation level `read committed`. Operations are single statements on your pool; a process that hosts or works for
 * something has a session of its own besides, which listens and carries the heartbeat. What has expired is removed by the
 * heartbeats, 500 rows at a time.
 *
 * @cleanup `close()` of the bus ends its session; the pool is not touched.
 * @param options The pool; how a session is made; what keeps deployments apart.
 * @returns A backend for `openStopBus`.
 * @throws TypeError, RangeError – no pool, or an option that makes no sense.
 * @example Wiring
 * ```ts
 * import { postgresBackend } from 'desist/postgres'
 *
 * try {
 *   postgresBackend({ pool: {} as never })
 * } catch (error) {
 *   (error as Error).name // => 'TypeError'
 * }
 * ```
 * @source PostgreSQL's own documentation of NOTIFY; Kleppmann's fencing tokens
 * @since 0.1.0
 */
export function postgresBackend(options: PostgresBackendOptions): StopBackend {
  requireOptions(options, optionNames);
  const { pool, session, createTables = true, onWarning = warn } = options;
  const { query } = (isObject(pool) ? pool : {}) as { query?: unknown };
  if (typeof query !== 'function') {
    throw new TypeError(`pool must be a Pool of pg, got ${show(pool)}`);
  }
  if (session !== undefined) requireFunction('session', session);
  requireFunction('onWarning', onWarning);
  const minLeaseMs = requireMs('minLeaseMs', options.minLeaseMs ?? 5_000, 'finite');
  const names = namesOf(options.namespace ?? 'desist');
  const poolShare = options.poolShare ?? Math.max(1, Math.trunc((pool.options?.max ?? POOL_SIZE) / 2));
  requireShare(poolShare);
  let making: Promise<unknown> | undefined;
  /** Of many that miss them at once, one makes them. */
  const makeTables = (): Promise<unknown> =>
    (making ??= createMissing(pool, names).finally(() => (making = undefined)));
  const isDeaf = (): void => {
    onWarning(
      "PostgreSQL's notifications do not come through the session, so stops are found by the next heartbeat: its URL must not " +
        'lead through a pooler in transaction mode',
    );
  };
  return {
    name: 'postgres',
    caps: { durability: 'disk', push: session !== undefined, minLeaseMs, mostAtOnce: poolShare },
    connect: async (node, events, limits = { deadlineMs: DEADLINE_MS }) => {
      // An engine that is away now may be there later, and is asked again by the first statement that misses a table.
      const prepared = createTables
        ? prepare(pool, names, makeTables).catch((error: unknown) => {
            events.down(error);
          })
        : Promise.resolve();
      await waitAtMost(systemClock, limits.deadlineMs, prepared);
      const parts = { pool, session, names, isDeaf, limits, makeTables: createTables ? makeTables : undefined };
      return new PostgresConnection(parts, node, events);
    },
  };
}

/** Makes the tables where they are not there: a user who may not make any needs not, once they are. */
async function prepare(pool: PostgresPool, names: Names, makeTables: () => Promise<unknown>): Promise<void> {
  const query = { text: 'select to_regclass($1) as found', values: [names.leases], query_timeout: DEADLINE_MS };
  const { rows } = await pool.query(query);
  if ((rows[0] as { readonly found: unknown }).found === null) await makeTables();
}

/** Several statements in one query are one transaction. */
async function createMissing(pool: PostgresPool, names: Names): Promise<void> {
  await pool.query({
    text: `select pg_advisory_xact_lock(${String(TABLE_LOCK)}); ${tableStatements(names)}`,
    query_timeout: DEADLINE_MS,
  });
}

function requireShare(share: unknown): void {
  if (typeof share !== 'number') throw new TypeError(`poolShare must be a number, got ${show(share)}`);
  if (!Number.isSafeInteger(share) || share < 1) {
    throw new RangeError(`poolShare must be a whole number, 1 or more, got ${String(share)}`);
  }
}

function warn(message: string): void {
  process.emitWarning(message, { type: 'DesistWarning' });
}
