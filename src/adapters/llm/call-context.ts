/**
 * What the function that calls a model is given: a stop in each of the shapes that clients take. Prior art:
 * `withCancellation`'s context.
 *
 * @module
 */
import type { CancellationToken } from '../../core/inside.ts';
import type { CallScope } from '../internal/call-scope.ts';

/**
 * What the function that calls a model is given. All of it can be destructured.
 *
 * @since 0.1.0
 */
export interface CallContext {
  /** For the client's `signal` option: fires when the token is cancelled, a limit passes, or the reader leaves. */
  readonly signal: AbortSignal;
  /** The same as a token. */
  readonly token: CancellationToken;
  /** For clients that take no signal but a `fetch` of one's own: every request made with it ends with this call. */
  readonly fetch: typeof fetch;
}

/**
 * The context of one call. Every member is a field of its own: a client may copy the options it is given. The signal is
 * a native one, so it is made only if somebody asks.
 */
export function callContext(scope: CallScope, fetchImpl: typeof fetch | undefined): CallContext {
  return {
    get signal() {
      return scope.signal;
    },
    token: scope.token,
    fetch: (input, init) => {
      // A client may bring a signal for limits of its own: both count. A null, as `fetch` has it, means none at all.
      const { signal: own = input instanceof Request ? input.signal : null } = init ?? {};
      const signal = own === null ? scope.signal : scope.signalWith(own);
      return (fetchImpl ?? globalThis.fetch)(input, { ...init, signal });
    },
  };
}
