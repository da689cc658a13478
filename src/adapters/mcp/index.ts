/**
 * The door `desist/mcp`: requests of MCP clients and handlers of MCP servers that a stop really ends.
 * Among the adapters because the SDKs stay the caller's: clients are reached through functions, contexts by their shape.
 * Prior art: `@modelcontextprotocol/sdk` 1, `@modelcontextprotocol/client` and `server` 2.
 *
 * @module desist/mcp
 */
export { cancellableRequest, type CancellableRequestOptions } from './cancellable-request.ts';
export { cancellableTransport, type McpTransportLike } from './cancellable-transport.ts';
export { cancellableTask, type CancellableTaskOptions } from './cancellable-task.ts';
export { fromExtra, type FromExtraOptions, type McpHandlerCall } from './from-extra.ts';
export { restartableClient, type RestartableClient } from './restartable-client.ts';
export type { RestartableClientOptions } from './server-keeper.ts';
export type { McpClientLike } from './server-probe.ts';
