/**
 * The parts of `pg` that carry stops, by structure.
 *
 * @module
 */

/**
 * A query as `pg` takes it.
 *
 * @since 0.1.0
 */
export interface PostgresQuery {
  readonly text: string;
  readonly values?: unknown[];
  /** Milliseconds after which the client gives it up, and a pool drops the client. */
  readonly query_timeout?: number;
}

/**
 * What runs queries: a `Pool` of `pg`.
 *
 * @since 0.1.0
 */
export interface PostgresPool {
  /** Runs one query. */
  query(query: PostgresQuery): Promise<{ readonly rows: readonly unknown[] }>;
  /** How it was made: with how many connections. */
  readonly options?: { readonly max?: number | undefined } | undefined;
}

/**
 * Where a `Client` of `pg` keeps its socket.
 *
 * @since 0.1.0
 */
export interface PostgresSessionConnection {
  /** The socket. */
  readonly stream?: PostgresSocket | undefined;
}

/**
 * What is asked of that socket.
 *
 * @since 0.1.0
 */
export interface PostgresSocket {
  /** Closes it without waiting for the other side. */
  destroy(): unknown;
}

/**
 * A connection of its own: a `Client` of `pg`, not connected yet.
 *
 * @since 0.1.0
 */
export interface PostgresSession extends Pick<PostgresPool, 'query'> {
  /** Where `pg` keeps its socket: one that is half open is cut through it. */
  readonly connection?: PostgresSessionConnection | undefined;
  /** Connects. */
  connect(): Promise<unknown>;
  /** Ends the connection. */
  end(): Promise<unknown>;
  /** Hears of notifications. */
  on(
    event: 'notification',
    listener: (message: { readonly channel: string; readonly payload?: string | undefined }) => void,
  ): unknown;
  /** Hears of the connection's end. */
  on(event: 'error' | 'end', listener: (error?: Error) => void): unknown;
}
