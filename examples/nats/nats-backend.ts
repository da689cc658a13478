/**
 * Stops over NATS JetStream: a backend of your own, to copy. A key-value bucket keeps what has to be kept, a subject for each
 * process wakes it. Other engines with compare-and-set can be used in the same way.
 *
 * There is one key per run, per lease, and per run in an inbox or in a group. NATS changes one key at a time, so an entry is
 * written before the record and remembers the record's revision: it counts once the record has changed after that.
 *
 * ```ts
 * const backend = natsBackend({
 *   connect: () => connect({ servers, maxReconnectAttempts: -1 }),
 *   bucket: (connection, timeout) =>
 *     new Kvm(jetstream(connection, { timeout })).create('stops', { history: 1, allow_direct: false, ttl: 25 * 3_600_000 }),
 * });
 * ```
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StopBackend, StopConnection } from 'desist/remote';
import type { Bucket, Connection, Entry, Link, NatsBackendOptions } from './nats-client.ts';

type Swap = Parameters<StopConnection['swap']>[0];
type Events = Parameters<StopBackend['connect']>[1];
type Pending = Awaited<ReturnType<StopConnection['list']>>['runs'];

/** The server takes a megabyte in a message by default; a record that is longer is fetched by whoever is woken. */
const LONGEST_SENT = 100_000;
/** The time of the engine is asked for again after so many milliseconds: clocks drift. */
const TIME_HOLDS_MS = 60_000;
/** Since when there are records is written again after so many milliseconds, before the bucket forgets it. */
const SINCE_HOLDS_MS = 3_600_000;
/** Milliseconds between two tries to connect. */
const AGAIN_MS = 1_000;

const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const decode = (data: Uint8Array): readonly unknown[] => JSON.parse(new TextDecoder().decode(data)) as unknown[];
const kept = (entry: Entry | null): readonly unknown[] | undefined =>
  entry?.operation === 'PUT' ? decode(entry.value) : undefined;

/** Any text as a part of a key, which takes few letters. */
const named = (text: string): string => createHash('sha256').update(text).digest('base64url');
const recordKey = (runId: string): string => `run.${named(runId)}`;
const leaseKey = (node: string): string => `lease.${named(node)}`;
const inboxOf = (node: string): string => `inbox.${named(node)}`;
const groupOf = (group: string): string => `group.${named(group)}`;
const wakeOf = (node: string): string => `desist.wake.${named(node)}`;

/** Resolves to whether it was done: not if somebody else has changed the key. */
async function unlessChanged(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (String(error).includes('wrong last sequence')) return false;
    throw error;
  }
}

/** A bucket that says when it is gone: a server that has lost its store gets a new one. */
function watched(bucket: Bucket, gone: () => void): Bucket {
  const failed = (error: unknown): never => {
    if (/stream not found|no responders|503/i.test(String(error))) gone();
    throw error;
  };
  return {
    get: (key) => bucket.get(key).catch(failed),
    put: (key, data, options) => bucket.put(key, data, options).catch(failed),
    delete: (key, options) => bucket.delete(key, options).catch(failed),
    keys: (filter) => bucket.keys(filter).catch(failed),
  };
}

class NatsConnection implements StopConnection {
  readonly #dial: () => Promise<Link>;
  readonly #node: string;
  readonly #events: Events;
  #link: Link | undefined;
  #heardOn: Connection | undefined;
  #again: NodeJS.Timeout | undefined;
  #time = { now: 0, at: -Infinity };
  #wasTried = false;
  #isListening = false;
  #isClosed = false;

  constructor(dial: () => Promise<Link>, node: string, events: Events) {
    this.#dial = dial;
    this.#node = node;
    this.#events = events;
  }

  /** Connects, however often it takes; resolves when that was tried once. */
  async open(): Promise<void> {
    try {
      const { connection, bucket } = await this.#dial();
      if (this.#isClosed) return await connection.close();
      const isCurrent = (): boolean => this.#link?.connection === connection;
      const link = { connection, bucket: watched(bucket, () => isCurrent() && this.reset()) };
      this.#link = link;
      void this.#watch(link).catch(() => undefined);
      if (this.#isListening) await this.listen();
      if (this.#wasTried) this.#events.resync();
    } catch (error) {
      if (this.#isClosed) return;
      this.#events.down(error);
      this.#again = setTimeout(() => void this.open(), AGAIN_MS).unref();
    } finally {
      this.#wasTried = true;
    }
  }

  /** The client connects again by itself; what was sent meanwhile woke nobody. */
  async #watch({ connection }: Link): Promise<void> {
    for await (const { type } of connection.status()) {
      if (this.#isClosed || this.#link?.connection !== connection) return;
      if (type === 'disconnect') this.#events.down(new Error('NATS is not connected'));
      if (type === 'reconnect') this.#events.resync();
    }
  }

  get #bucket(): Bucket {
    if (this.#link === undefined) throw new Error('NATS is not connected');
    return this.#link.bucket;
  }

  /** The engine's time: that of the last write that was read, and what has gone by since. */
  #now(): number {
    return Math.floor(this.#time.now + performance.now() - this.#time.at);
  }

  #hear(entry: Entry | null): void {
    if (entry !== null) this.#time = { now: entry.created.getTime(), at: performance.now() };
  }

  /** Asks for the engine's time, unless it is known. */
  async #keepTime(): Promise<void> {
    if (performance.now() - this.#time.at < TIME_HOLDS_MS) return;
    const key = `time.${named(this.#node)}`;
    await this.#bucket.put(key, encode([]));
    this.#hear(await this.#bucket.get(key));
  }

  async #record(runId: string): Promise<{ readonly revision: number; readonly value: string | undefined }> {
    await this.#keepTime();
    const entry = await this.#bucket.get(recordKey(runId));
    const [, value, until] = kept(entry) ?? [];
    return { revision: entry?.revision ?? 0, value: Number(until) > this.#now() ? String(value) : undefined };
  }

  async read(runId: string): ReturnType<StopConnection['read']> {
    const { value } = await this.#record(runId);
    return { value, now: this.#now() };
  }

  async swap(change: Swap): ReturnType<StopConnection['swap']> {
    const { runId, from, to, ttlMs, inboxes, hints, handled, joins = [], leaves = [] } = change;
    const found = await this.#record(runId);
    if (found.value !== from) return { swapped: false, value: found.value, now: this.#now() };
    const keyIn = (list: string): string => `${list}.${named(runId)}`;
    const into = [...inboxes.map(inboxOf), ...joins.map(groupOf)];
    const outOf = [...(handled ? [inboxOf(this.#node)] : []), ...leaves.map(groupOf)].filter(
      (list) => !into.includes(list),
    );
    // Deleted afterwards only as they are now: what somebody else puts there meanwhile stays.
    const old = await Promise.all(outOf.map((list) => this.#bucket.get(keyIn(list))));
    await Promise.all(into.map((list) => this.#enter(keyIn(list), runId, found)));
    const record = encode([runId, to, this.#now() + ttlMs]);
    const isDone = await unlessChanged(this.#bucket.put(recordKey(runId), record, { previousSeq: found.revision }));
    if (!isDone) return { swapped: false, ...(await this.read(runId)) };
    await Promise.all(outOf.map((list, n) => this.#remove(keyIn(list), old[n] ?? null)));
    const message = encode(to.length <= LONGEST_SENT ? [runId, to] : [runId]);
    for (const node of new Set([...inboxes, ...hints])) this.#link?.connection.publish(wakeOf(node), message);
    return { swapped: true };
  }

  /** An entry that counts already goes on counting, under a revision that no earlier delete names. */
  async #enter(key: string, runId: string, found: { revision: number; value: string | undefined }): Promise<void> {
    const [, since = found.revision] = (found.value !== undefined && kept(await this.#bucket.get(key))) || [];
    await this.#bucket.put(key, encode([runId, since]));
  }

  async #remove(key: string, entry: Entry | null): Promise<void> {
    if (kept(entry) === undefined) return;
    await unlessChanged(this.#bucket.delete(key, { previousSeq: entry?.revision ?? 0 }));
  }

  async #listed(list: string): Promise<Pending> {
    const keys: string[] = [];
    for await (const key of await this.#bucket.keys(`${list}.*`)) keys.push(key);
    const found = await Promise.all(
      keys.map(async (key) => {
        const entry = await this.#bucket.get(key);
        const [runId, since] = kept(entry) ?? [];
        if (typeof runId !== 'string') return [];
        const { revision, value } = await this.#record(runId);
        // Its record may be about to be written.
        if (revision <= Number(since)) return [];
        if (value === undefined) await this.#remove(key, entry);
        return value === undefined ? [] : [{ runId, value }];
      }),
    );
    return found.flat();
  }

  async pull(leaseMs: number, mark: string): ReturnType<StopConnection['pull']> {
    await this.#keepTime();
    const key = leaseKey(this.#node);
    const [previous, until] = kept(await this.#bucket.get(key)) ?? [];
    await this.#bucket.put(key, encode([mark, this.#now() + leaseMs]));
    this.#hear(await this.#bucket.get(key));
    const isHeld = Number(until) > this.#now();
    await this.#age();
    const pending = await this.#listed(inboxOf(this.#node));
    return { previous: isHeld ? String(previous) : undefined, pending, now: this.#now() };
  }

  async list(group: string): ReturnType<StopConnection['list']> {
    const ageMs = await this.#age();
    return { runs: await this.#listed(groupOf(group)), ageMs };
  }

  /** For how long there are records: a server that has lost its store has lost this with them. */
  async #age(): Promise<number> {
    await this.#keepTime();
    const entry = await this.#bucket.get('since');
    const [since = this.#now()] = kept(entry) ?? [];
    if (entry === null || this.#now() - entry.created.getTime() > SINCE_HOLDS_MS)
      await unlessChanged(this.#bucket.put('since', encode([since]), { previousSeq: entry?.revision ?? 0 }));
    return this.#now() - Number(since);
  }

  renew(runIds: readonly string[], ttlMs: number): Promise<readonly (string | undefined)[]> {
    return Promise.all(
      runIds.map(async (runId) => {
        const { revision, value } = await this.#record(runId);
        const longer = encode([runId, value, this.#now() + ttlMs]);
        // Whoever has changed it since has given it a life as well.
        if (value !== undefined)
          await unlessChanged(this.#bucket.put(recordKey(runId), longer, { previousSeq: revision }));
        return value;
      }),
    );
  }

  async alive(nodes: readonly string[]): Promise<readonly boolean[]> {
    await this.#keepTime();
    return Promise.all(
      nodes.map(async (node) => {
        const [, until] = kept(await this.#bucket.get(leaseKey(node))) ?? [];
        return Number(until) > this.#now();
      }),
    );
  }

  async listen(): Promise<void> {
    this.#isListening = true;
    const connection = this.#link?.connection;
    if (connection === undefined) throw new Error('NATS is not connected');
    if (this.#heardOn !== connection) {
      this.#heardOn = connection;
      const callback = (_error: unknown, { data }: { readonly data: Uint8Array }): void => {
        const [runId, value] = decode(data);
        if (!this.#isClosed) this.#events.wake(String(runId), typeof value === 'string' ? value : undefined);
      };
      connection.subscribe(wakeOf(this.#node), { callback });
    }
    await connection.flush();
  }

  reset(): void {
    const old = this.#link;
    // Without one it is being sought already.
    if (this.#isClosed || old === undefined) return;
    this.#link = undefined;
    void old.connection.close().catch(() => undefined);
    void this.open();
  }

  async close(release: boolean): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#again);
    try {
      if (!release) return;
      await this.#bucket.delete(leaseKey(this.#node));
      const keys: string[] = [];
      for await (const key of await this.#bucket.keys(`${inboxOf(this.#node)}.*`)) keys.push(key);
      await Promise.all(keys.map((key) => this.#bucket.delete(key)));
    } finally {
      await this.#link?.connection.close();
    }
  }
}

/** Carries stops over NATS 2.9 or newer with JetStream. */
export function natsBackend<C extends Connection>({ connect, bucket }: NatsBackendOptions<C>): StopBackend {
  return {
    name: 'nats',
    caps: { durability: 'disk', push: true, minLeaseMs: 5_000 },
    connect: async (node, events, { deadlineMs } = { deadlineMs: 5_000 }) => {
      const dial = async (): Promise<Link> => {
        const connection = await connect();
        try {
          return { connection, bucket: await bucket(connection, deadlineMs) };
        } catch (error) {
          await connection.close();
          throw error;
        }
      };
      const connection = new NatsConnection(dial, node, events);
      // A server that takes the connection and says nothing is away as well: it is tried on.
      await Promise.race([connection.open(), sleep(deadlineMs, undefined, { ref: false })]);
      return connection;
    },
  };
}
