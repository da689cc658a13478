/**
 * An MCP client whose server can be given up: stopped when a cancel finds it deaf, started again when it is needed.
 * Prior art: Erlang's supervisors.
 *
 * @module
 */
import type { TokenLike } from '../../core/inside.ts';
import type { CancellableRequestOptions, McpRequestContext } from './cancellable-request.ts';
import { ServerKeeper, type McpConnectContext, type RestartableClientOptions } from './server-keeper.ts';
import type { McpClientLike } from './server-probe.ts';

/**
 * A client that connects when it is needed.
 *
 * @since 0.1.0
 */
export interface RestartableClient<C> {
  /** The connected client; `undefined` before the first request, after a stop, and after `close`. */
  readonly client: C | undefined;
  /**
   * Sends one request, as `cancellableRequest` does, connecting first if need be. A cancel does not wait for the
   * connection, which is kept for the next request.
   *
   * @checkpoint always, before, and after connecting
   * @throws CancelledError, DeadlineExceededError – as a rejection, as `cancellableRequest`. Error – as a rejection: of
   * `connect`, which is called once at most; what it returned has no connection; or the client is closed.
   */
  readonly request: <T>(
    token: TokenLike | null | undefined,
    send: (client: C, context: McpRequestContext) => T | PromiseLike<T>,
    options?: CancellableRequestOptions<T>,
  ) => Promise<T>;
  /** Resolves when no server is being probed or stopped. */
  readonly settled: () => Promise<void>;
  /** Stops the server, its process and what that started, and takes no more requests. */
  readonly close: () => Promise<void>;
  /** `close()`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/**
 * Keeps one MCP client connected, stops a server that a cancel finds deaf, and starts it again for the next request.
 *
 * The protocol does not say whether a server has obeyed a cancel. What can be known is whether it still answers at all:
 * after a cancel or a timeout it is asked, and if it says nothing within the grace, it is stopped – on stdio its process
 * with everything that started, else the connection. A server that answers but goes on with the work it was told to drop
 * looks like a good one; for such a server say `afterCancel: 'stop'`. Other requests that are open when a server is
 * stopped fail with the SDK's "Connection closed".
 *
 * @checkpoint never: see `request`
 * @cleanup `close()`, or `await using`: the server's process is gone, or named to `onServerStopped`, also one that has not
 * answered `initialize` yet. If this process ends first, it is killed.
 * @param connect Makes and connects a client: `const client = new Client(…); await client.connect(transport, { signal });
 * return client`. Called again after a stop. A server on stdio is given `env`: by it its daemons are found.
 * @param options When to stop a server, and how long it may take.
 * @returns The handle; nothing is connected yet.
 * @throws TypeError, RangeError – arguments that make no sense.
 * @example
 * ```ts
 * import { restartableClient } from 'desist/mcp'
 *
 * let starts = 0
 * const connect = () => {
 *   starts += 1
 *   return { transport: {}, close: async () => {}, ping: async () => ({}) } // with the SDK: a connected Client
 * }
 * const server = restartableClient(connect)
 * await server.request(null, (client) => client.ping())
 * await server.request(null, (client) => client.ping())
 * starts // => 1
 * await server.close()
 * ```
 * @source Erlang supervisors
 * @since 0.1.0
 */
export function restartableClient<C extends McpClientLike>(
  connect: (context: McpConnectContext) => C | PromiseLike<C>,
  options: RestartableClientOptions<C> = {},
): RestartableClient<C> {
  const keeper = new ServerKeeper(connect, options);
  const close = (): Promise<void> => keeper.close();
  return {
    get client() {
      return keeper.client;
    },
    request: (token, send, requestOptions) => keeper.request(token, send, requestOptions),
    settled: () => keeper.settled(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
