/**
 * The door `desist/http-request`: sources that the outside world cancels – requests, web sockets, events.
 * Among the adapters because it listens to what servers and sockets say, each in its own words.
 * Prior art: Go's `http.Request.Context()`.
 *
 * @module desist/http-request
 */

export { fromEvent, type FromEventOptions } from './from-event.ts';
export { fromRequest } from './from-request.ts';
export type { FromRequestOptions } from './from-request.ts';
export { fromWebSocket, type FromWebSocketOptions } from './from-web-socket.ts';
export { stopHandler } from './stop-route/stop-handler.ts';
export type { StopHandler, StopHandlerOptions } from './stop-route/stop-handler.ts';
export { statusHandler } from './status-stream/status-handler.ts';
export type { StatusHandler } from './status-stream/status-handler.ts';
export type { StatusHandlerOptions } from './status-stream/status-options.ts';
