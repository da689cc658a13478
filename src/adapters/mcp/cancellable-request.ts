/**
 * One MCP request under a token: the server hears of a stop once, in neutral words, and cannot hold it up. Prior art:
 * the request options of `@modelcontextprotocol/sdk`; the protocol's `notifications/cancelled`.
 *
 * @module
 */
import {
  type CancellationToken,
  type LateOutcome,
  type OptionNames,
  type OptionsOnly,
  requireFunction,
  requireOptions,
  type TokenLike,
  withCancellation,
} from '../../core/inside.ts';
import { untoldRequest } from '../internal/untold-request.ts';

/**
 * A progress notification, as the SDKs hand it on.
 *
 * @since 0.1.0
 */
export interface McpProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/**
 * What the function that sends the request is given.
 *
 * @since 0.1.0
 */
export interface McpRequestContext {
  /** For the SDK's `signal` option. Its reason is the same neutral text whatever the cause: the SDK sends it on. */
  readonly signal: AbortSignal;
  /** For the SDK's `onprogress` option: keeps `idleMs` from passing, and calls the caller's `onProgress`. */
  readonly onprogress: (progress: McpProgress) => void;
  /** The call's token, with the real reason; stays on this side. */
  readonly token: CancellationToken;
}

/**
 * Options of {@link cancellableRequest}.
 *
 * @since 0.1.0
 */
export interface CancellableRequestOptions<T = unknown> extends OptionsOnly {
  /** Milliseconds that a request may take to give up once it was told to stop, 1,000 by default. */
  readonly graceMs?: number | undefined;
  /** Milliseconds for the whole request. The SDK has a limit of its own, 60 s by default: its option `timeout`. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds without progress; needs `onprogress` to be passed on, and a server that reports. */
  readonly idleMs?: number | undefined;
  /** Names the request in reasons and reports; `mcp request` by default. */
  readonly name?: string | undefined;
  /** Told of each progress notification. */
  readonly onProgress?: ((progress: McpProgress) => void) | undefined;
  /** Told what a request that did not stop within its grace did in the end. */
  readonly onLateSettle?: ((outcome: LateOutcome<T>) => void) | undefined;
}

/** Names of the options of a request. */
export const requestNames: OptionNames<CancellableRequestOptions> = {
  graceMs: 1,
  timeoutMs: 1,
  idleMs: 1,
  name: 1,
  onProgress: 1,
  onLateSettle: 1,
};

/**
 * Sends one request of an MCP client – `callTool`, `readResource`, `getPrompt`, any – under a token.
 *
 * The SDK's own answer to a cancel is error −32001, the same as to a timeout, with the reason's text sent to the
 * server; and it leaves a listener on the signal for every call ever made, so that one Stop announces all of them as
 * cancelled. Here the error is the token's, the server reads a fixed text, and a finished call is never announced. A
 * timeout of the SDK's own stays the SDK's error.
 *
 * @checkpoint always, before; `send` is not called if the token is cancelled
 * @fairness A reply that has arrived beats a cancel of the same tick. A failure that raced the cancel stays that
 * failure.
 * @cleanup Nothing of the call is left on the token when the promise settles. A server's reply that comes later is
 * dropped by the SDK, which tells its client's `onerror` only.
 * @param token Whose stop.
 * @param send Sends the request, with the signal in its options.
 * @param options Grace and limits in milliseconds, progress, a name.
 * @returns What the request returned.
 * @throws CancelledError – as a rejection: the token was cancelled; `abandoned` names a request that was sent, for a server
 * says nothing of a cancel and may go on: the call that it was for is `unknown` in the ledger. `abandoned.isOver` says that
 * the request itself has given up within its grace. DeadlineExceededError – as a rejection: a limit of this call passed,
 * with `abandoned` likewise. TypeError, RangeError – as a rejection: arguments that make no sense.
 * @example
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { cancellableRequest } from 'desist/mcp'
 *
 * const stop = new CancellationTokenSource()
 * // with the SDK: (context) => client.callTool({ name: 'search' }, undefined, context)
 * const send = async (options: { signal: AbortSignal }) => ({ aborted: options.signal.aborted })
 * await cancellableRequest(stop.token, send, { graceMs: 200 }) // => { aborted: false }
 * ```
 * @source MCP specification, "Cancellation"
 * @since 0.1.0
 */
export async function cancellableRequest<T>(
  token: TokenLike | null | undefined,
  send: (context: McpRequestContext) => T | PromiseLike<T>,
  options: CancellableRequestOptions<T> = {},
): Promise<T> {
  requireOptions(options, requestNames);
  const { onProgress, name = 'mcp request', ...limits } = options;
  requireFunction('send', send);
  if (onProgress !== undefined) requireFunction('onProgress', onProgress);
  return await withCancellation(
    token,
    async (context) => {
      const { token: own } = context;
      const onprogress = (progress: McpProgress): void => {
        context.progress();
        onProgress?.(progress);
      };
      return await untoldRequest(own, name, (signal) => send({ signal, onprogress, token: own }));
    },
    { ...limits, name },
  );
}
