/**
 * The door `desist/http-request`: sources that the outside world cancels – requests, web sockets, events.
 * Among the adapters because it listens to what servers and sockets say, each in its own words.
 * Prior art: Go's `http.Request.Context()`.
 *
 * @module desist/http-request
 */
export type { ClosableResponse } from './closed-response.ts';
export { fromEvent, type FromEventOptions } from './from-event.ts';
export { fromRequest } from './from-request.ts';
export type { Disconnect, FromRequestOptions, NodeRequestLike, NodeResponseLike, RequestLike } from './from-request.ts';
export { fromWebSocket, type FromWebSocketOptions, type WebSocketLike } from './from-web-socket.ts';
export { stopHandler } from './stop-route/stop-handler.ts';
export type { StopHandler, StopHandlerOptions, StopTarget } from './stop-route/stop-handler.ts';
export type { StopCall, StopCaller } from './stop-route/exchange.ts';
export type { FetchRequestLike } from './stop-route/fetch-front-end.ts';
export type { NodeExchange, NodeStopRequest, NodeStopResponse } from './stop-route/node-front-end.ts';
export { statusHandler } from './status-stream/status-handler.ts';
export type { StatusHandler } from './status-stream/status-handler.ts';
export type { StatusHandlerOptions, StatusSource } from './status-stream/status-options.ts';
export type { FetchStatusRequest } from './status-stream/fetch-events.ts';
export type { NodeEventExchange, NodeEventResponse, NodeStatusRequest } from './status-stream/node-events.ts';
export type { GatekeeperOptions } from './stop-route/gatekeeper.ts';
export type { OutsideSourceOptions } from './listening-source.ts';
export type { EmitterLike } from '../internal/stream/event-target.ts';
