/**
 * The tables of the engine.
 *
 * @module
 */
import { show } from '../../core/inside.ts';

/** The longest name; PostgreSQL cuts longer ones silently, and a channel has a node's name behind it. */
const LONGEST_NAME = 32;

/** The names of everything in a namespace, quoted where they are SQL. */
export interface Names {
  readonly records: string;
  readonly inboxes: string;
  readonly leases: string;
  readonly namespace: string;
}

/** Checks a namespace, and says what is called how. */
export function namesOf(namespace: unknown): Names {
  if (typeof namespace !== 'string' || !/^[a-z_][a-z0-9_]*$/.test(namespace) || namespace.length > LONGEST_NAME) {
    throw new TypeError(
      `namespace must be a name of small letters, digits and underscores, ${String(LONGEST_NAME)} at most, got ${show(namespace)}`,
    );
  }
  return {
    records: `"${namespace}_stop_runs"`,
    inboxes: `"${namespace}_stop_inboxes"`,
    leases: `"${namespace}_stop_leases"`,
    namespace,
  };
}

/** The statements that make the tables, where they are not there yet. */
export function tableStatements({ records, inboxes, leases, namespace }: Names): string {
  return `
create table if not exists ${records} (
  run_id text primary key, value text not null, until timestamptz not null);
create index if not exists "${namespace}_stop_runs_until" on ${records} (until);
create table if not exists ${inboxes} (
  node text not null, run_id text not null, until timestamptz not null, primary key (node, run_id));
create index if not exists "${namespace}_stop_inboxes_until" on ${inboxes} (until);
create table if not exists ${leases} (
  node text primary key, mark text not null, until timestamptz not null);
create index if not exists "${namespace}_stop_leases_until" on ${leases} (until);
`.trim();
}

/**
 * The SQL that makes the tables of `postgresBackend`, for a migration of your own.
 *
 * @param namespace The backend's; `desist` by default.
 * @returns Statements that make what is missing. They change no table that is there: one of an older version has to be dropped.
 * @throws TypeError – a namespace that is no name.
 * @example
 * ```ts
 * import { postgresTables } from 'desist/postgres'
 *
 * const sql = postgresTables('agents')
 * sql.includes('create table if not exists "agents_stop_runs"') // => true
 * ```
 * @since 0.1.0
 */
export function postgresTables(namespace = 'desist'): string {
  return tableStatements(namesOf(namespace));
}
