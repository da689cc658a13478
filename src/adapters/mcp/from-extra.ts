/**
 * The server's side of a stop: the token of one request that an MCP server handles.
 *
 * Invariant: one listener on the request's signal, gone when the call is disposed or the token cancelled.
 *
 * Prior art: the handler contexts of both SDKs; Go's `http.Request.Context`.
 *
 * @module
 */
import {
  type CancellationToken,
  CancellationTokenSource,
  type CancelReasonInit,
  type OptionNames,
  type OptionsOnly,
  requireOneOf,
  requireOptions,
  show,
  type TokenLike,
} from '../../core/inside.ts';
import { asAnswer } from '../internal/as-answer.ts';
import {
  cancellableRequest,
  type CancellableRequestOptions,
  type McpProgress,
  type McpRequestContext,
} from './cancellable-request.ts';

type Notify = (notification: { method: 'notifications/progress'; params: ProgressParams }) => Promise<void>;

interface ProgressParams {
  [key: string]: unknown;
  progressToken: string | number;
  progress: number;
  total?: number;
  message?: string;
}

/**
 * What a handler is given last: `extra` in version 1 of the SDK, the context in version 2.
 *
 * @since 0.1.0
 */
export type McpHandlerExtra =
  | {
      readonly signal: AbortSignal;
      readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
      readonly sendNotification: Notify;
    }
  | {
      readonly mcpReq: {
        readonly signal: AbortSignal;
        readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
        readonly envelope?: unknown;
        readonly notify: Notify;
      };
      readonly http?: unknown;
    };

/**
 * Options of {@link fromExtra}.
 *
 * @since 0.1.0
 */
export interface FromExtraOptions extends OptionsOnly {
  /** A further stop for the handler, such as the end of the server's life. */
  readonly token?: TokenLike | null | undefined;
  /**
   * What the end of the session means for a handler that is running: `cancel`, the default, or `keep` for work that is
   * to be finished for whoever asks later. Over HTTP in revision 2026-07-28 the end of the stream *is* the client's
   * cancel, and counts as one in any case.
   */
  readonly onClose?: 'cancel' | 'keep' | undefined;
  /**
   * The server that handles the request (`mcpServer.server`). Version 1 of the SDK makes the end of the session look
   * like a cancel without a reason; only with the server can they be told apart, so `keep` needs it there.
   */
  readonly server?: { readonly transport?: unknown } | undefined;
  /** Names the handler in reasons; `mcp handler` by default. */
  readonly name?: string | undefined;
}

/**
 * One request while it is handled. The functions are bound.
 *
 * @since 0.1.0
 */
export interface McpHandlerCall {
  /** Cancelled with kind `unknown` if the client says so, with `disconnect` if the session ends. */
  readonly token: CancellationToken;
  readonly signal: AbortSignal;
  /**
   * Asks the client something – sampling, elicitation, roots – under the handler's token: when the handler is cancelled
   * the client is told to drop the question as well. Hand the options on to `extra.sendRequest`, `ctx.mcpReq.send`,
   * `server.createMessage`, `server.elicitInput`. An answer that comes with the cancel or after it is none: it rejects.
   *
   * @checkpoint always, before
   */
  readonly request: <T>(
    send: (context: McpRequestContext) => T | PromiseLike<T>,
    options?: CancellableRequestOptions<T>,
  ) => Promise<T>;
  /** Reports progress if the client asked for it; after a cancel it says nothing more. */
  readonly progress: (progress: McpProgress) => Promise<void>;
  /** Unlinks the handler's token; does not cancel it. */
  readonly [Symbol.dispose]: () => void;
}

const clientCancelled = 'The client cancelled the request';

/** The two SDKs' contexts, as one. */
interface Request {
  readonly signal: AbortSignal;
  readonly progressToken: string | number | undefined;
  readonly notify: Notify;
  /** Whether an abort by the end of the session carries that as its reason. */
  readonly saysClosed: boolean;
  /** Whether the end of the stream is how the client cancels. */
  readonly closesToCancel: boolean;
}

function isContext(extra: unknown): boolean {
  if (typeof extra !== 'object' || extra === null) return false;
  const { mcpReq, signal } = extra as { mcpReq?: { signal?: unknown }; signal?: unknown };
  const found = mcpReq?.signal ?? signal;
  return typeof found === 'object' && found !== null && 'aborted' in found;
}

function requestOf(extra: McpHandlerExtra): Request {
  if (!isContext(extra)) throw new TypeError(`extra must be what the SDK gives a handler last, got ${show(extra)}`);
  if ('mcpReq' in extra) {
    const { signal, _meta, envelope, notify } = extra.mcpReq;
    return {
      signal,
      progressToken: _meta?.progressToken,
      notify,
      saysClosed: true,
      closesToCancel: envelope !== undefined && extra.http !== undefined,
    };
  }
  return {
    signal: extra.signal,
    progressToken: extra._meta?.progressToken,
    notify: extra.sendNotification,
    saysClosed: false,
    closesToCancel: false,
  };
}

const optionNames: OptionNames<FromExtraOptions> = { token: 1, onClose: 1, server: 1, name: 1 };

/**
 * The token of a request that a server handles, from what the SDK gives the handler.
 *
 * The SDK drops the answer of a cancelled request; that is all it does. The handler's own questions to the client stay
 * open, and so does everything it started. Under this token they end as well.
 *
 * @checkpoint never
 * @cleanup Dispose it when the handler ends – `using call = fromExtra(extra)` – so that nothing of it stays on
 * `options.token`.
 * @param extra The last argument of the handler.
 * @param options What a closed session means; a further token.
 * @returns The token, and questions to the client under it.
 * @throws TypeError – something that is no handler context; `keep` with version 1 of the SDK and no `server`.
 * @example
 * ```ts
 * import { fromExtra } from 'desist/mcp'
 *
 * const request = new AbortController()
 * const extra = { signal: request.signal, sendNotification: async () => {} } // the SDK's
 * using call = fromExtra(extra)
 * request.abort('not needed any more')
 * call.token.reason?.message // => 'The client cancelled the request'
 * ```
 * @source MCP specification, "Cancellation"
 * @since 0.1.0
 */
export function fromExtra(extra: McpHandlerExtra, options: FromExtraOptions = {}): McpHandlerCall {
  requireOptions(options, optionNames);
  const { server, name = 'mcp handler' } = options;
  const onClose = requireOneOf('onClose', options.onClose ?? 'cancel', ['cancel', 'keep']);
  const request = requestOf(extra);
  if (onClose === 'keep' && !request.saysClosed && server === undefined) {
    throw new TypeError(
      "onClose: 'keep' needs the server with version 1 of the SDK: there a closed session looks like a cancel",
    );
  }
  const { signal, progressToken, notify } = request;
  const source = new CancellationTokenSource({ parent: options.token ?? [], name });

  const end = (isClosed: boolean): void => {
    if (isClosed && !request.closesToCancel) {
      if (onClose === 'cancel') source.cancel({ kind: 'disconnect', message: 'The session was closed' });
      return;
    }
    const reason: CancelReasonInit = { message: clientCancelled, by: 'client', cause: signal.reason };
    source.cancel(reason);
  };
  const onAbort = (): void => {
    const code: unknown = (signal.reason as { readonly code?: unknown } | undefined)?.code;
    // A cancel that carries the client's words is one; so is one of a server that would say if it were closed.
    if (request.saysClosed) end(code === 'CONNECTION_CLOSED');
    else if (typeof signal.reason === 'string' || server === undefined) end(false);
    // The SDK lets go of its transport in the same tick, right after it has aborted its handlers.
    else queueMicrotask(() => end(server.transport === undefined));
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();

  return {
    token: source.token,
    get signal() {
      return source.signal;
    },
    request: (send, requestOptions) => cancellableRequest(source.token, asAnswer(send), requestOptions),
    progress: async (progress) => {
      if (progressToken === undefined || source.isCancelled) return;
      const { total, message } = progress;
      await notify({
        method: 'notifications/progress',
        params: {
          progressToken,
          progress: progress.progress,
          ...(total === undefined ? {} : { total }),
          ...(message === undefined ? {} : { message }),
        },
      });
    },
    [Symbol.dispose]: () => {
      signal.removeEventListener('abort', onAbort);
      source.release();
    },
  };
}
