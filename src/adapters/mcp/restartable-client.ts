/**
 * An MCP client whose server can be given up: stopped when a cancel finds it deaf, started again when it is needed.
 * Prior art: Erlang's supervisors.
 *
 * @module
 */
import {
  ServerKeeper,
  type McpConnectContext,
  type RestartableClient,
  type RestartableClientOptions,
} from './server-keeper.ts';
import type { McpClientLike } from './server-probe.ts';

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
