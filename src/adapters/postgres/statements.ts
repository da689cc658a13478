/**
 * The operations of the port, each one statement: what belongs together happens together, without a transaction that a pool
 * would have to hold. Times are the engine's.
 *
 * @module
 */
import type { Names } from './tables.ts';

/** How many expired rows one sweep takes from each table. */
const SWEPT_AT_MOST = 500;

const now = 'clock_timestamp()';
const nowMs = `(extract(epoch from ${now}) * 1000)::float8`;
const after = (parameter: string): string => `${now} + ${parameter}::float8 * interval '1 millisecond'`;

/** The statements of a namespace, by what they do. */
export type Statements = Readonly<
  Record<'read' | 'insert' | 'update' | 'pull' | 'list' | 'renew' | 'alive' | 'dropLease' | 'sweep', string>
>;

/** Writes them. */
export function statementsOf({ records, inboxes, leases }: Names): Statements {
  /**
   * What follows a change, where it happened. $1 run · $3 ttl · $4 node · $5 handled · $6 inboxes, and groups that list it ·
   * $7 channels · $8 payload · $9 groups that list it no longer
   */
  const followed = (change: string): string => `
with done as (${change} returning 1),
  listed as (
    insert into ${inboxes} (node, run_id, until)
    select node, $1, ${after('$3')} from unnest($6::text[]) as node where exists (select 1 from done)
    on conflict (node, run_id) do update set until = greatest(${inboxes}.until, excluded.until)),
  handled as (
    delete from ${inboxes}
    where run_id = $1 and (($5 and node = $4) or node = any ($9::text[])) and not node = any ($6::text[])
      and exists (select 1 from done)),
  woken as materialized (
    select pg_notify(channel, $8) from unnest($7::text[]) as channel where exists (select 1 from done))
select exists (select 1 from done) as swapped, (select count(*) from woken) as woken`;
  const sweep = (table: string): string =>
    `delete from ${table} where ctid in (select ctid from ${table} where until <= ${now} limit ${String(SWEPT_AT_MOST)})`;

  /** Since when there are records: kept beside the leases, under a name that no node has. */
  const since = `
    insert into ${leases} (node, mark, until) values ('', ${nowMs}::text, 'infinity') on conflict (node) do nothing returning mark`;

  return {
    read: `select (select value from ${records} where run_id = $1 and until > ${now}) as value, ${nowMs} as now`,
    /** A record where there was none, or one that has expired. */
    insert: followed(
      `insert into ${records} as r (run_id, value, until) values ($1, $2, ${after('$3')})
       on conflict (run_id) do update set value = excluded.value, until = excluded.until where r.until <= ${now}`,
    ),
    /** A record that is what the caller believes: $10. */
    update: followed(
      `update ${records} set value = $2, until = ${after('$3')} where run_id = $1 and value = $10 and until > ${now}`,
    ),
    pull: `
with before as (select mark from ${leases} where node = $1 and until > ${now}),
  lease as (
    insert into ${leases} (node, mark, until) values ($1, $2, ${after('$3')})
    on conflict (node) do update set mark = excluded.mark, until = excluded.until),
  since as (${since}),
  gone as (
    delete from ${inboxes} as i where node = $1
      and not exists (select 1 from ${records} as r where r.run_id = i.run_id and r.until > ${now})),
  pending as (
    select i.run_id, r.value from ${inboxes} as i join ${records} as r using (run_id)
    where i.node = $1 and r.until > ${now})
select (select mark from before) as previous,
  (select coalesce(json_agg(json_build_array(run_id, value)), '[]') from pending) as pending, ${nowMs} as now`,
    list: `
with since as (${since})
select coalesce(json_agg(json_build_array(run_id, r.value)), '[]') as pending,
  ${nowMs} - coalesce((select mark from ${leases} where node = ''), (select mark from since))::float8 as age
from ${inboxes} as i join ${records} as r using (run_id) where i.node = $1 and r.until > ${now}`,
    renew: `
update ${records} set until = ${after('$2')} where run_id = any ($1::text[]) and until > ${now} returning run_id, value`,
    alive: `select node from ${leases} where node = any ($1::text[]) and until > ${now}`,
    dropLease: `with dropped as (delete from ${leases} where node = $1) delete from ${inboxes} where node = $1`,
    sweep: `with runs as (${sweep(records)}), inbox as (${sweep(inboxes)}) ${sweep(leases)}`,
  };
}
