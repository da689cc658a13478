/**
 * Server-sent events as a listener of Node's servers, and as a handler of Express.
 *
 * @module
 */
import { isClosed, type ClosableResponse } from '../closed-response.ts';
import type { NodeStopRequest } from '../stop-route/node-front-end.ts';
import { pathOf, headerOf } from '../stop-route/node-front-end.ts';
import type { Begin, StatusRoute } from './status-route.ts';

/**
 * The part of Node's `IncomingMessage` that the status route reads.
 *
 * @since 0.1.0
 */
export type NodeStatusRequest = Pick<NodeStopRequest, 'method' | 'url' | 'headers' | 'socket' | 'resume'>;

/**
 * The part of Node's `ServerResponse` that the status route writes.
 *
 * @since 0.1.0
 */
export interface NodeEventResponse extends ClosableResponse {
  readonly headersSent: boolean;
  /** Status and headers. */
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  /** Sends the headers before the first part; the types of HTTP/2 do not have it. */
  flushHeaders?(): unknown;
  /** A part of the body; `false` where the client is slow. */
  write(text: string): boolean;
  /** The end of the body. */
  end(body: string): unknown;
  /** Cuts the connection. */
  destroy(): unknown;
  /** Subscribes. */
  on(event: 'close' | 'drain', listener: () => void): unknown;
  /** Unsubscribes. */
  removeListener(event: 'close' | 'drain', listener: () => void): unknown;
}

/**
 * A listener for `http.createServer`, or a handler for Express.
 *
 * @since 0.1.0
 */
export type NodeEventExchange = (request: NodeStatusRequest, response: NodeEventResponse, next?: () => void) => void;

/** Makes the listener. */
export function nodeEvents(route: StatusRoute): NodeEventExchange {
  return (request, response, next) => {
    const path = pathOf(request);
    if (next !== undefined && route.match(path) === undefined) {
      next();
      return;
    }
    const leaving = new AbortController();
    const call = {
      ...{ path, method: request.method ?? '', header: headerOf(request), raw: request },
      ...{ address: request.socket.remoteAddress, left: leaving.signal },
    };
    request.resume();
    let hasLeft = isClosed(response);
    let stream: ReturnType<Begin['start']> | undefined = undefined;
    const drained = (): void => stream?.drained();
    // Heard from the beginning: while `authorize` thinks, the client may leave.
    const left = (): void => {
      hasLeft = true;
      leaving.abort();
      stream?.end();
    };
    response.on('close', left);
    void route.open(call).then((opened) => {
      if (response.headersSent || hasLeft) {
        response.removeListener('close', left);
        if ('start' in opened) opened.abandon();
        return;
      }
      if (!('start' in opened)) {
        response.removeListener('close', left);
        response.writeHead(opened.status, opened.headers);
        response.end(opened.body);
        return;
      }
      response.writeHead(200, opened.headers);
      response.flushHeaders?.();
      response.on('drain', drained);
      stream = opened.start({
        write: (text) => response.write(text),
        end: (isReading) => {
          response.removeListener('drain', drained);
          response.removeListener('close', left);
          if (isReading) response.end('');
          else response.destroy();
        },
      });
    });
  };
}
