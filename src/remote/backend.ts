/**
 * What the protocol needs of an engine: a port. A record per run that is swapped atomically, an inbox and a lease per
 * node, and a wake-up that may be lost. Whatever the engine, the rules of the protocol are not its business.
 *
 * Prior art: compare-and-set registers of etcd and NATS JetStream; leases of Chubby.
 *
 * @module
 */

/**
 * What an engine promises.
 *
 * @since 0.1.0
 */
export interface StopBackendCaps {
  /** What a record survives: the end of this `process`, nothing but the engine's own `memory`, or its restart (`disk`). */
  readonly durability: 'process' | 'memory' | 'disk';
  /** Whether nodes are woken at once; without it they learn at their next heartbeat. */
  readonly push: boolean;
  /** The shortest lease that makes sense, in milliseconds: longer than the engine's own failover. */
  readonly minLeaseMs: number;
  /**
   * How many operations of one node it takes at once, where it is few: a pool that is shared with the application has no more
   * connections. 1,000 by default; the bus finds out by itself how many are good, up to that.
   */
  readonly mostAtOnce?: number | undefined;
}

/**
 * What a node tells a connection of itself.
 *
 * @since 0.1.0
 */
export interface StopConnectionLimits {
  /**
   * Milliseconds after which nobody waits for an operation any more, a third of the lease: by then it is settled as well, or its
   * place is held for nothing. A connection that is lost is sought at least as often.
   */
  readonly deadlineMs: number;
}

/**
 * What a connection tells by itself. All three are hints: each may come twice, late, or never.
 *
 * @since 0.1.0
 */
export interface StopBackendEvents {
  /**
   * Something was put into the inbox of this node, or happened to a stop that it asked for.
   *
   * @param runId Which record to look at.
   * @param value The record as it was then, where the message had room for it.
   */
  wake(runId: string, value?: string): void;
  /** The connection is there again: wake-ups may have been missed. */
  resync(): void;
  /** The connection is gone, and the backend tries to get it back. */
  down(error: unknown): void;
}

/**
 * A record, and the engine's own time.
 *
 * @since 0.1.0
 */
export interface StopReading {
  /** `undefined` if there is none, or it expired. */
  readonly value: string | undefined;
  /** Epoch milliseconds of the engine's clock. */
  readonly now: number;
}

/**
 * One atomic change of a record.
 *
 * @since 0.1.0
 */
export interface StopSwap {
  /** Any text of any length, without half surrogate pairs. */
  readonly runId: string;
  /** What the record must be now, to the letter; `undefined`: there must be none. */
  readonly from: string | undefined;
  /** What it becomes. */
  readonly to: string;
  /** Milliseconds from now after which it is forgotten. */
  readonly ttlMs: number;
  /** Nodes whose inbox the run is put into, and which are woken. */
  readonly inboxes: readonly string[];
  /** Nodes that are only woken. */
  readonly hints: readonly string[];
  /** Whether the run is taken out of this node's own inbox. */
  readonly handled: boolean;
  /** Groups that list the run from here on, for at least as long as the record lives; nobody is woken by that. */
  readonly joins?: readonly string[] | undefined;
  /** Groups that list it no longer. */
  readonly leaves?: readonly string[] | undefined;
}

/**
 * What a heartbeat brings.
 *
 * @since 0.1.0
 */
export interface StopPull {
  /** The mark of the pull before this one; `undefined` if there is no lease any more. */
  readonly previous: string | undefined;
  /** The runs of this node's inbox with their records; runs without a record are dropped from it. */
  readonly pending: readonly { readonly runId: string; readonly value: string }[];
  /** Epoch milliseconds of the engine's clock. */
  readonly now: number;
}

/**
 * What a group lists.
 *
 * @since 0.1.0
 */
export interface StopListing {
  /** The runs with their records, all as they were at one instant; those without a record are dropped from the group. */
  readonly runs: StopPull['pending'];
  /**
   * For how many milliseconds the engine has kept what it was given: a mark of its own tells, which the first pull or list makes
   * where there is none, and which is lost with the records. `Infinity` for an engine that loses nothing.
   */
  readonly ageMs: number;
}

/**
 * A node's connection to an engine. Every call is one operation of the engine, or as good as one; it rejects when the
 * engine does not answer, and may then have happened or not.
 *
 * @since 0.1.0
 */
export interface StopConnection {
  /** Reads the record of a run. */
  read(runId: string): Promise<StopReading>;
  /**
   * Changes a record if it is what the caller believes; inboxes and wake-ups are of the same operation.
   *
   * @returns Whether it happened; if not, what the record is.
   */
  swap(change: StopSwap): Promise<{ readonly swapped: true } | (StopReading & { readonly swapped: false })>;
  /**
   * Renews this node's lease and returns its inbox, in one operation.
   *
   * @param leaseMs Milliseconds that the lease lasts from now.
   * @param mark Kept with the lease, for the next pull to find.
   */
  pull(leaseMs: number, mark: string): Promise<StopPull>;
  /**
   * Keeps records from being forgotten.
   *
   * @param runIds At most 500.
   * @param ttlMs Milliseconds from now.
   * @returns Their records, in the same order.
   */
  renew(runIds: readonly string[], ttlMs: number): Promise<readonly (string | undefined)[]>;
  /** The runs that a group lists, and for how long the engine has known any. A name is 128 characters at most. */
  list(group: string): Promise<StopListing>;
  /** Which of these nodes hold a lease. */
  alive(nodes: readonly string[]): Promise<readonly boolean[]>;
  /** Starts to be woken; until then this node costs the engine nothing. Repeated calls do nothing. */
  listen(): Promise<void>;
  /**
   * Drops every socket and makes new ones: the old ones may be half open. What was under way on them rejects. Ends in `resync`.
   */
  reset(): void;
  /**
   * Ends the connection. An engine that is silent does not answer a release: `close(false)` comes while that waits, and
   * ends all of it at once.
   *
   * @param release Whether the lease and the inbox go as well.
   */
  close(release: boolean): Promise<void>;
}

/**
 * An engine that carries stops: the port that `openStopBus` is written over.
 *
 * @since 0.1.0
 */
export interface StopBackend {
  /** For error messages: `redis`. */
  readonly name: string;
  /** What it promises. */
  readonly caps: StopBackendCaps;
  /**
   * Connects a node, to an engine that is away as well: it settles by the deadline, also where nothing answers.
   *
   * @param node Its name, unique to this process.
   * @param events What to tell it.
   * @param limits For how long it waits.
   */
  connect(node: string, events: StopBackendEvents, limits?: StopConnectionLimits): Promise<StopConnection>;
}
