/**
 * A source that the other end of a web socket cancels: with a message, or by going away where that is to count. Prior
 * art: the stop messages of agents' web sockets; WHATWG `WebSocket`.
 *
 * @module
 */
import {
  type CancellationTokenSource,
  type CancelReasonInit,
  type OptionNames,
  requireFunction,
  requireOneOf,
  requireOptions,
} from '../../core/inside.ts';
import { listenTo, type EmitterLike } from '../internal/stream/event-target.ts';
import { disconnected, type Disconnect } from './from-request.ts';
import { ListeningSource, type OutsideSourceOptions } from './listening-source.ts';

/**
 * A `WebSocket`, of the platform or of `ws`.
 *
 * @since 0.1.0
 */
export type WebSocketLike = EmitterLike & {
  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  readonly readyState: number;
};

/**
 * Options of {@link fromWebSocket}.
 *
 * @since 0.1.0
 */
export interface FromWebSocketOptions extends OutsideSourceOptions {
  /** Whether a socket that closes cancels, with kind `disconnect`. By default it does not: clients come back. */
  readonly disconnect?: Disconnect | undefined;
  /**
   * Reads a message: what to cancel with if it is a stop, `true` for a person's; `undefined` or `false` if it is
   * something else.
   */
  readonly readStop?: ((data: unknown) => CancelReasonInit | string | boolean | null | undefined) | undefined;
}

const optionNames: OptionNames<FromWebSocketOptions> = { token: 1, timeoutMs: 1, name: 1, disconnect: 1, readStop: 1 };

/**
 * Makes a source that a web socket cancels.
 *
 * @checkpoint never
 * @cleanup The listeners go with the cancel, whoever asked for it, with the socket, and with `release()`.
 * @param socket A `WebSocket` of the platform or of `ws`.
 * @param options What a message means, whether a disconnect counts, a parent, a limit in milliseconds.
 * @returns The source; yours to release when the work it stands for has ended.
 * @throws TypeError, RangeError – arguments that make no sense.
 * @example
 * ```ts
 * import { fromWebSocket } from 'desist/http-request'
 *
 * const socket = Object.assign(new EventTarget(), { readyState: 1 })
 * const stop = fromWebSocket(socket, { readStop: (data) => data === 'stop' })
 * socket.dispatchEvent(Object.assign(new Event('message'), { data: 'stop' }))
 * stop.reason?.kind // => 'user'
 * ```
 * @since 0.1.0
 */
export function fromWebSocket(socket: WebSocketLike, options: FromWebSocketOptions = {}): CancellationTokenSource {
  requireOptions(options, optionNames);
  const { disconnect = 'ignore', readStop } = options;
  requireOneOf('disconnect', disconnect, ['ignore', 'cancel']);
  if (readStop !== undefined) requireFunction('readStop', readStop);
  const source = new ListeningSource(options);
  const leave = (): void => {
    source.stopListening();
    if (disconnect === 'cancel') source.cancel(disconnected());
  };
  source.listen(() => listenTo('socket', socket, 'close', leave));
  if (readStop !== undefined) {
    source.listen(() =>
      listenTo('socket', socket, 'message', (message) => {
        // An event of the platform, or the bare data where only `on` is there.
        const data = typeof message === 'object' && message !== null && 'data' in message ? message.data : message;
        source.cancelWith(readStop, data);
      }),
    );
  }
  if (socket.readyState >= 2) leave();
  return source;
}
