/**
 * The door `desist/ag-ui`: runs of the AG-UI protocol, on the side of the client and on that of the server.
 * Among the adapters because it knows the protocol's manners; the SDK itself is never loaded, everything is typed by structure.
 * Prior art: the protocol's own `AbstractAgent`.
 *
 * @module desist/ag-ui
 */
export { messageMap, type AgUiMessage } from './messages.ts';
export type { AgUiEvent } from './open-parts.ts';
export { runAgent, type RunAgentOptions } from './run-agent.ts';
export { serveRun, type RunInput, type ServeRunOptions } from './serve-run.ts';
