/**
 * A source for the work of one HTTP request, whatever server it came through. By structure, so that none of them is
 * loaded. Prior art: Go's `http.Request.Context()`, which the client's departure always cancels; here that is a
 * choice.
 *
 * @module
 */
import {
  type CancellationTokenSource,
  type CancelReasonInit,
  isObject,
  type OptionNames,
  requireOneOf,
  requireOptions,
  show,
  tokenOf,
} from '../../core/inside.ts';
import { isEmitter, listenTo } from '../internal/stream/event-target.ts';
import { isClosed, wasSent, type ClosableResponse } from './closed-response.ts';
import { ListeningSource, type OutsideSourceOptions } from './listening-source.ts';

/**
 * Whether a client that goes away stops the work done for it.
 *
 * @since 0.1.0
 */
export type Disconnect = 'ignore' | 'cancel';

/**
 * The part of a Node response that tells how it ended.
 *
 * @since 0.1.0
 */
export interface NodeResponseLike extends ClosableResponse {
  /** Whether all of it was handed to the network. */
  readonly writableFinished: boolean;
}

/**
 * The part of a Node request that leads to its connection; Express's request is one, with its `res`.
 *
 * @since 0.1.0
 */
export interface NodeRequestLike {
  /** The connection. */
  readonly socket: {
    /** Whether it is closed. */
    readonly destroyed: boolean;
  };
  /** Its response, where the framework tells. */
  readonly res?: unknown;
}

/**
 * A request: a Fetch `Request`, a Node or Express one, or a framework's own that carries one of these as `raw`, as those
 * of Fastify and Hono do.
 *
 * @since 0.1.0
 */
export type RequestLike =
  | {
      /** Aborted when the client left. */
      readonly signal: AbortSignal;
    }
  | NodeRequestLike
  | {
      /** The request underneath. */
      readonly raw: RequestLike;
    };

/**
 * Options of {@link fromRequest}.
 *
 * @since 0.1.0
 */
export interface FromRequestOptions extends OutsideSourceOptions {
  /**
   * `'ignore'`, the default: only the token, the limit and whoever holds the source stop the work, so that a closed tab
   * ends nothing. `'cancel'`: a client that leaves before the response is complete cancels, with kind `disconnect`.
   */
  readonly disconnect?: Disconnect | undefined;
  /**
   * The response: an HTTP/2 request needs it, to see a disconnect; that of other Node requests is found. A request that was
   * upgraded has none: there the end of the connection is the disconnect.
   */
  readonly response?: NodeResponseLike | undefined;
}

/** Why a source is cancelled by a client that left. */
export function disconnected(cause?: unknown): CancelReasonInit {
  return { kind: 'disconnect', message: 'The client disconnected', ...(cause === undefined ? {} : { cause }) };
}

type Shape = Partial<Record<string, unknown>>;

function isShape(value: unknown): value is Shape {
  return isObject(value);
}

const optionNames: OptionNames<FromRequestOptions> = { token: 1, timeoutMs: 1, name: 1, disconnect: 1, response: 1 };

/**
 * Makes a source for the work of one HTTP request: cancel it from a Stop route, hand its token to the work.
 *
 * That a client went away says little about what its person wants – tabs are reloaded, phones lose the network – so by
 * default it stops nothing.
 *
 * @checkpoint never
 * @cleanup The listeners go with the cancel, whoever asked for it, and with `release()`. With `disconnect: 'cancel'` a Node
 * request that was answered releases its source by itself; a Fetch request does not say when it was answered.
 * @param request A Fetch `Request`, a Node or Express request, or one of Fastify or Hono.
 * @param options Whether a disconnect counts, a parent, a limit in milliseconds.
 * @returns The source; yours to release when the work it stands for has ended.
 * @throws TypeError, RangeError – arguments that make no sense; or an HTTP/2 request without its response, if a disconnect is
 * to count: its connection outlives it.
 * @example
 * ```ts
 * import { fromRequest } from 'desist/http-request'
 *
 * const tab = new AbortController()
 * const request = new Request('http://localhost/runs', { signal: tab.signal })
 * const stays = fromRequest(request)
 * const goes = fromRequest(request, { disconnect: 'cancel' })
 * tab.abort()
 * stays.isCancelled // => false
 * goes.reason?.kind // => 'disconnect'
 * ```
 * @source Go `http.Request.Context()`
 * @since 0.1.0
 */
export function fromRequest(request: RequestLike, options: FromRequestOptions = {}): CancellationTokenSource {
  requireOptions(options, optionNames);
  const { disconnect = 'ignore', response } = options;
  requireOneOf('disconnect', disconnect, ['ignore', 'cancel']);
  const bare = bareRequest(request);
  const source = new ListeningSource(options);
  if (disconnect === 'cancel') {
    if (bare.signal !== undefined) watchSignal(source, bare.signal);
    else watchConnection(source, bare.node, response);
  }
  return source;
}

type BareRequest =
  | { readonly signal: AbortSignal; readonly node?: undefined }
  | { readonly node: NodeRequestLike; readonly signal?: undefined };

function bareRequest(request: unknown): BareRequest {
  if (isShape(request)) {
    // Node's own request first: in newer majors it has a signal too, of its own making.
    if (isShape(request['socket']) && isEmitter(request)) return { node: request as unknown as NodeRequestLike };
    if (isShape(request['raw'])) return bareRequest(request['raw']);
    if (request['signal'] instanceof AbortSignal) return { signal: request['signal'] };
  }
  throw new TypeError(`request must be a Request or a Node request, got ${show(request)}`);
}

function watchSignal(source: ListeningSource, signal: AbortSignal): void {
  source.listen(() => {
    const registration = tokenOf(signal).onCancelled(() => {
      source.cancel(disconnected(signal.reason));
    });
    return () => {
      registration.unregister();
    };
  });
}

/** The response knows how it ended; where there is none to be found, the connection has to do. */
function watchConnection(source: ListeningSource, request: NodeRequestLike, given: NodeResponseLike | undefined): void {
  if (given === undefined && fieldOf(request, 'httpVersionMajor') === 2) {
    source.release();
    throw new TypeError('an HTTP/2 request needs its response: fromRequest(request, { response })');
  }
  const { socket } = request;
  // A request that is cut while it is sent says so itself, over HTTP/2 as well.
  source.listen(() => listenTo('request', request, 'aborted', () => leave(source)));
  const response = given ?? responseOf(request);
  if (response !== undefined) watchResponse(source, response);
  else if (socket.destroyed) leave(source);
  // An upgraded request never gets a response, and nobody else's on its connection says anything about it.
  else if (fieldOf(request, 'upgrade') === true)
    source.listen(() => listenTo('socket', socket, 'close', () => leave(source)));
  // Node says that nothing is being sent here: it was sent already, and what happens to the connection is no news.
  else if (messageOn(socket) === null) source.stopListening();
  else watchQueue(source, request);
}

function fieldOf(request: NodeRequestLike, name: string): unknown {
  return (request as unknown as Shape)[name];
}

function leave(source: ListeningSource): void {
  source.stopListening();
  source.cancel(disconnected());
}

function watchResponse(source: ListeningSource, response: NodeResponseLike): void {
  const ended = (): void => {
    if (!wasSent(response)) leave(source);
    else source.release(); // it was answered: nobody is left to stop the work for
  };
  if (isClosed(response) && wasSent(response)) source.stopListening();
  else if (isClosed(response)) ended();
  else source.listen(() => listenTo('response', response, 'close', ended));
}

/**
 * A request that came while another one of the same connection was being answered: its response is found when its turn
 * comes. Until then a connection that closes leaves it unanswered.
 */
function watchQueue(source: ListeningSource, request: NodeRequestLike): void {
  const { socket } = request;
  const current = messageOn(socket);
  source.listen(() =>
    listenTo('socket', socket, 'close', () => {
      // One that is over already, and was read to its end, was answered before we were asked.
      if (fieldOf(request, 'destroyed') === true && current !== undefined) source.stopListening();
      else leave(source);
    }),
  );
  if (!isShape(current) || !isEmitter(current)) return;
  source.listen(() =>
    listenTo('response', current, 'finish', () => {
      source.stopListening();
      // Node passes the connection on in a listener of its own, which need not be called before this one.
      queueMicrotask(() => {
        if (source.isCancelled) return;
        if (messageOn(socket) === null) source.release(); // its own turn came and went
        else watchConnection(source, request, undefined);
      });
    }),
  );
}

/** What is being sent on a connection: `null` if nothing is, `undefined` where that is not told. */
function messageOn(socket: NodeRequestLike['socket']): unknown {
  return (socket as { readonly _httpMessage?: unknown })._httpMessage;
}

/** Express tells its requests; Node tells the connection which response it is sending. */
function responseOf(request: NodeRequestLike): NodeResponseLike | undefined {
  if (isShape(request.res) && 'writableFinished' in request.res) return request.res as unknown as NodeResponseLike;
  const current = messageOn(request.socket);
  return isShape(current) && current['req'] === request ? (current as unknown as NodeResponseLike) : undefined;
}
