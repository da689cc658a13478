/**
 * A node's connection to PostgreSQL: your pool for operations, and a session of its own while it hosts or works for something.
 *
 * Invariants: every operation is one statement; the heartbeat never waits behind the pool where there is a session; nothing
 * is sent again by itself.
 *
 * @module
 */
import { isObject } from '../../core/inside.ts';
import type {
  StopBackendEvents,
  StopConnection,
  StopConnectionLimits,
  StopPull,
  StopReading,
  StopSwap,
} from '../../remote/backend.ts';
import type { PostgresPool, PostgresSession } from './client.ts';
import { isHashed, keptAs, keptIn, keyOf, listIn, type Kept } from './run-key.ts';
import { SessionChannel } from './session-channel.ts';
import { statementsOf, type Statements } from './statements.ts';
import type { Names } from './tables.ts';

/** The longest message with a record in it, in bytes: a payload of NOTIFY has to be shorter than 8,000. */
const LONGEST_SENT = 7_500;
/** How many heartbeats go by before what has expired is removed. */
const SWEEP_EVERY = 20;
/** PostgreSQL's code for a table that is not there. */
const UNDEFINED_TABLE = '42P01';

/** What a connection is made of. */
export interface PostgresParts {
  readonly pool: PostgresPool;
  readonly session: (() => PostgresSession) | undefined;
  readonly names: Names;
  /** Notifications do not come through the session. */
  readonly isDeaf: () => void;
  /** Makes the tables, where that is ours to do. */
  readonly makeTables: (() => Promise<unknown>) | undefined;
  readonly limits: StopConnectionLimits;
}

type Row = Readonly<Record<string, unknown>>;

/** One node's connection. */
export class PostgresConnection implements StopConnection {
  readonly #parts: PostgresParts;
  readonly #sql: Statements;
  readonly #node: string;
  readonly #events: StopBackendEvents;
  #channel: SessionChannel | undefined;
  #pulls = 0;
  #isClosed = false;

  constructor(parts: PostgresParts, node: string, events: StopBackendEvents) {
    this.#parts = parts;
    this.#sql = statementsOf(parts.names);
    this.#node = node;
    this.#events = events;
  }

  async read(runId: string): Promise<StopReading> {
    const { kept, now } = await this.#readKey(keyOf(runId));
    return { value: kept?.value, now };
  }

  async swap(change: StopSwap): ReturnType<StopConnection['swap']> {
    const { runId, from, to, ttlMs, inboxes, hints, handled, joins = [], leaves = [] } = change;
    const channels = [...new Set([...inboxes, ...hints])].map((node) => this.#channelOf(node));
    const [key, kept] = [keyOf(runId), keptAs(runId, to)];
    const listed = [...new Set([...inboxes, ...joins.map(groupKey)])];
    const values: unknown[] = [key, kept, ttlMs, this.#node, handled, listed, channels];
    const whole = JSON.stringify([key, kept]);
    values.push(Buffer.byteLength(whole) <= LONGEST_SENT ? whole : JSON.stringify([key]), leaves.map(groupKey));
    if (from !== undefined) values.push(keptAs(runId, from));
    const { swapped } = await this.#one(from === undefined ? this.#sql.insert : this.#sql.update, values);
    if (swapped === true) return { swapped: true };
    // What the statement saw may be older than what stood in its way.
    return { swapped: false, ...(await this.read(runId)) };
  }

  async pull(leaseMs: number, mark: string): Promise<StopPull> {
    const query = { text: this.#sql.pull, values: [this.#node, mark, leaseMs] };
    const { rows } = await this.#withTables(() => (this.#channel ?? this.#parts.pool).query(query));
    const { previous, pending, now } = rows[0] as Row;
    if (++this.#pulls % SWEEP_EVERY === 0) this.#query(this.#sql.sweep, []).catch(() => undefined);
    return {
      previous: typeof previous === 'string' ? previous : undefined,
      pending: runsIn(pending),
      now: Number(now),
    };
  }

  async list(group: string): ReturnType<StopConnection['list']> {
    const { pending, age } = await this.#one(this.#sql.list, [groupKey(group)]);
    return { runs: runsIn(pending), ageMs: Number(age) };
  }

  async renew(runIds: readonly string[], ttlMs: number): Promise<readonly (string | undefined)[]> {
    if (runIds.length === 0) return [];
    const rows = await this.#query(this.#sql.renew, [runIds.map(keyOf), ttlMs]);
    const found = rows.map(({ run_id: key, value }) => keptIn(String(key), String(value)));
    const values = new Map(found.flatMap((kept) => (kept === undefined ? [] : [[kept.runId, kept.value]])));
    return runIds.map((runId) => values.get(runId));
  }

  async alive(nodes: readonly string[]): Promise<readonly boolean[]> {
    if (nodes.length === 0) return [];
    const held = new Set((await this.#query(this.#sql.alive, [[...nodes]])).map(({ node }) => node));
    return nodes.map((node) => held.has(node));
  }

  async listen(): Promise<void> {
    const { session } = this.#parts;
    if (this.#isClosed || session === undefined) return;
    this.#channel ??= new SessionChannel({
      open: session,
      channel: this.#channelOf(this.#node),
      message: (payload) => {
        const [key, kept] = listIn(payload);
        if (typeof key !== 'string') return;
        void this.#woken(key, typeof kept === 'string' ? kept : undefined).catch(() => undefined);
      },
      resync: this.#resync,
      down: (error) => {
        if (!this.#isClosed) this.#events.down(error);
      },
      isDeaf: this.#parts.isDeaf,
      notify: (channel, payload) => this.#query('select pg_notify($1, $2)', [channel, payload]),
      longestRetryMs: this.#parts.limits.deadlineMs,
    });
    await this.#channel.listening();
  }

  reset(): void {
    if (this.#isClosed) return;
    if (this.#channel !== undefined) this.#channel.reset();
    // The pool drops a client whose statement took too long by itself.
    else this.#query('select 1', []).then(this.#resync, () => undefined);
  }

  readonly #resync = (): void => {
    if (!this.#isClosed) this.#events.resync();
  };

  async close(release: boolean): Promise<void> {
    this.#isClosed = true;
    if (!release) this.#channel?.cut();
    else {
      this.#channel?.close();
      await this.#send(this.#sql.dropLease, [this.#node]);
    }
  }

  #channelOf(node: string): string {
    return `${this.#parts.names.namespace}_${node}`;
  }

  /** Who is hashed says so by its record alone; what fails here, the next heartbeat brings. */
  async #woken(key: string, sent: string | undefined): Promise<void> {
    let told: Partial<Kept> | undefined = sent === undefined ? undefined : keptIn(key, sent);
    if (sent === undefined) told = isHashed(key) ? (await this.#readKey(key)).kept : { runId: key };
    if (told?.runId !== undefined && !this.#isClosed) this.#events.wake(told.runId, told.value);
  }

  async #readKey(key: string): Promise<{ readonly kept: Kept | undefined; readonly now: number }> {
    const { value, now } = await this.#one(this.#sql.read, [key]);
    return { kept: typeof value === 'string' ? keptIn(key, value) : undefined, now: Number(now) };
  }

  async #one(text: string, values: unknown[]): Promise<Row> {
    return (await this.#query(text, values))[0] as Row;
  }

  #query(text: string, values: unknown[]): Promise<readonly Row[]> {
    return this.#withTables(() => this.#send(text, values));
  }

  /** A statement that takes longer has no engine behind it, and its client is dropped from the pool. */
  async #send(text: string, values: unknown[]): Promise<readonly Row[]> {
    const query_timeout = Math.ceil(this.#parts.limits.deadlineMs);
    const { rows } = await this.#parts.pool.query({ text, values, query_timeout });
    return rows as readonly Row[];
  }

  /** An engine that is new, or empty after a failover, gets its tables when the first statement misses them. */
  async #withTables<T>(send: () => Promise<T>): Promise<T> {
    const { makeTables } = this.#parts;
    try {
      return await send();
    } catch (error) {
      if (makeTables === undefined || !isObject(error) || Reflect.get(error, 'code') !== UNDEFINED_TABLE) throw error;
      await makeTables();
      return await send();
    }
  }
}

/** What a group lists is kept as an inbox is, under a name that no node has. */
function groupKey(group: string): string {
  return `group:${group}`;
}

/** Runs and their records as a statement answers them, parsed or not. */
function runsIn(pending: unknown): StopPull['pending'] {
  const listed = (typeof pending === 'string' ? JSON.parse(pending) : pending) as readonly [string, string][];
  return listed.flatMap(([key, kept]) => keptIn(key, kept) ?? []);
}
