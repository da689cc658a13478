/**
 * A connection of our own: it listens, and the heartbeat goes over it. It is made again for as long as it is wanted.
 *
 * Invariants: a wake-up that may have been missed is told as `resync`; what an old connection tells is not heard; whether
 * notifications come through at all is found out, not believed.
 *
 * @module
 */
import { systemClock, type Clock, type Releasable } from '../../core/inside.ts';
import type { PostgresQuery, PostgresSession } from './client.ts';

/** What a session channel is made of. */
export interface SessionChannelParts {
  readonly open: () => PostgresSession;
  readonly channel: string;
  readonly message: (payload: string) => void;
  readonly resync: () => void;
  readonly down: (error: unknown) => void;
  /** Notifications do not come through this connection. */
  readonly isDeaf: () => void;
  /** Notifies the channel by another connection; resolves when that was done. */
  readonly notify: (channel: string, payload: string) => Promise<unknown>;
  /** The longest wait between two tries to connect, in milliseconds. */
  readonly longestRetryMs: number;
  readonly clock?: Clock | undefined;
}

const FIRST_RETRY_MS = 100;
/** The longest wait between two tries to connect, where the lease does not ask for a shorter one. */
const LONGEST_RETRY_MS = 1_000;
/** How long a notification may take, once it was sent. */
const PROBE_MS = 2_000;
/** How long a connection that is given up may take to say goodbye. */
const END_MS = 1_000;
/** No wake-up of another node looks like it. */
const PROBE = 'probe';

/** A session that is kept up. */
export class SessionChannel {
  readonly #parts: SessionChannelParts;
  readonly #clock: Clock;
  #session: PostgresSession | undefined;
  #ready: Promise<PostgresSession>;
  #retryMs = FIRST_RETRY_MS;
  #retry: Releasable | undefined;
  #probe: Releasable | undefined;
  /** Sessions that have been told to end. */
  readonly #leaving = new Set<PostgresSession>();
  /** Whether this connection has heard what was sent by another one. */
  #isProbed = false;
  #isDeaf = false;
  #isClosed = false;

  constructor(parts: SessionChannelParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
    this.#ready = this.#open();
    this.#ready.catch(() => undefined);
  }

  /** Resolves when it listens; rejects if that was not possible, and goes on trying. */
  async listening(): Promise<void> {
    await this.#ready;
  }

  async query(query: PostgresQuery): Promise<{ readonly rows: readonly unknown[] }> {
    return (await this.#ready).query(query);
  }

  /** A new connection in place of this one, which may be half open. */
  reset(): void {
    if (this.#isClosed) return;
    this.#drop();
    this.#again();
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  /** Closes without waiting for the other side to say goodbye. */
  cut(): void {
    this.close();
    for (const session of this.#leaving) cut(session);
  }

  async #open(): Promise<PostgresSession> {
    const { open, channel } = this.#parts;
    let session: PostgresSession;
    try {
      session = open();
    } catch (error) {
      this.#lost(error);
      throw error;
    }
    this.#session = session;
    session.on('notification', ({ payload = '' }) => {
      if (this.#session === session) this.#hear(payload);
    });
    const lost = (error?: Error): void => {
      if (this.#session === session) this.#lost(error ?? new Error('the connection has ended'));
    };
    session.on('error', lost);
    session.on('end', lost);
    try {
      await session.connect();
      await session.query({ text: `listen "${channel}"` });
      this.#retryMs = FIRST_RETRY_MS;
      if (this.#session === session) this.#startProbe(session);
      return session;
    } catch (error) {
      lost(error as Error);
      throw error;
    }
  }

  /**
   * PgBouncer in transaction mode takes LISTEN, and leaves it with a server connection that others use next. What this
   * session notifies itself of may come back over the very same one: so it is asked for from the other side.
   */
  #startProbe(session: PostgresSession): void {
    this.#isProbed = false;
    this.#probe?.release();
    const sent = (): void => {
      if (this.#session !== session || this.#isProbed) return;
      this.#probe = this.#clock.setTimer(() => this.#deaf(), PROBE_MS, { ref: false });
    };
    settled(() => this.#parts.notify(this.#parts.channel, PROBE)).then(sent, () => undefined);
  }

  /** Once, however often the connection is made anew. */
  #deaf(): void {
    if (!this.#isDeaf) this.#parts.isDeaf();
    this.#isDeaf = true;
  }

  #hear(payload: string): void {
    if (payload !== PROBE) {
      this.#parts.message(payload);
      return;
    }
    this.#isProbed = true;
    this.#isDeaf = false;
    this.#probe?.release();
  }

  #lost(error: unknown): void {
    this.#drop();
    if (this.#isClosed) return;
    this.#parts.down(error);
    const waitMs = this.#retryMs;
    this.#retryMs = Math.min(waitMs * 2, LONGEST_RETRY_MS, this.#parts.longestRetryMs);
    this.#retry = this.#clock.setTimer(() => this.#again(), waitMs, { ref: false });
  }

  #again(): void {
    this.#ready = this.#open();
    this.#ready.then(this.#parts.resync, () => undefined);
  }

  #drop(): void {
    const session = this.#session;
    this.#session = undefined;
    this.#retry?.release();
    this.#probe?.release();
    if (session !== undefined) this.#end(session);
  }

  /** A half-open socket does not end by itself, and would keep the process: it is cut off. */
  #end(session: PostgresSession): void {
    this.#leaving.add(session);
    const timer = this.#clock.setTimer(() => cut(session), END_MS, { ref: false });
    const ended = (): void => {
      timer.release();
      this.#leaving.delete(session);
    };
    settled(() => session.end()).then(ended, ended);
  }
}

function cut(session: PostgresSession): void {
  try {
    session.connection?.stream?.destroy();
  } catch {
    // It is given up in any case.
  }
}

/** The promise of a client, also of one that throws at once or gives none. */
async function settled(call: () => unknown): Promise<void> {
  await call();
}
