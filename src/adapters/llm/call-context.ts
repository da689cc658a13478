/**
 * What the function that calls a model is given: a stop in each of the shapes that clients take.
 * In the adapter's room because streams and plain calls hand out the same.
 * Prior art: `withCancellation`'s context.
 *
 * @module
 */
import type { CancellationToken } from '../../core/token/handles.ts';
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

/** The context of one call. The signal is a native one, so it is made only if somebody asks. */
export class ScopeContext implements CallContext {
  readonly #scope: CallScope;
  readonly #fetch: typeof fetch | undefined;

  constructor(scope: CallScope, fetchImpl: typeof fetch | undefined) {
    this.#scope = scope;
    this.#fetch = fetchImpl;
  }

  get signal(): AbortSignal {
    return this.#scope.signal;
  }

  get token(): CancellationToken {
    return this.#scope.token;
  }

  get fetch(): typeof fetch {
    const scope = this.#scope;
    const fetchImpl = this.#fetch ?? globalThis.fetch;
    return (input, init) => {
      // A client may bring a signal for limits of its own: both count. A null, as `fetch` has it, means none at all.
      const { signal: own = input instanceof Request ? input.signal : null } = init ?? {};
      return fetchImpl(input, { ...init, signal: own === null ? scope.signal : scope.signalWith(own) });
    };
  }
}
