/**
 * `CancellationToken`: the read handle, and the ways to make one without a source. Prior art: .NET
 * `CancellationToken`, tokio-util `CancellationToken`, VS Code's `CancellationToken`; the statics of `AbortSignal`.
 *
 * @module
 */
import { requireMs } from '../foundation/check.ts';
import { createReason, type CancelReasonLike } from '../foundation/reason.ts';
import { all, any, never, tokenOf } from './bridge/linked-tokens.ts';
import { configure } from './configure.ts';
import type { CancellationToken as ReadHandle, TokenLike } from './read-and-write.ts';
import { Token } from './token.ts';
import { Cancellation, OWN, PASSIVE } from './tree/node.ts';
import { mark } from './tree/state.ts';

/**
 * The read handle: see its members.
 *
 * @since 0.1.0
 */
export type CancellationToken = ReadHandle;

/**
 * Ways to make tokens; as a type, the read handle itself.
 *
 * @example Stop when the person or the clock says so
 * ```ts
 * import { CancellationToken, CancellationTokenSource } from 'desist'
 *
 * const person = new CancellationTokenSource()
 * const token = CancellationToken.any(person.token, CancellationToken.timeout(60_000))
 * person.cancel('user')
 * token.reason?.kind // => 'user'
 * ```
 * @source WHATWG `AbortSignal.any`, `.timeout`; .NET `CancellationToken.None`
 * @since 0.1.0
 */
export const CancellationToken: {
  /** A token that nothing ever cancels; what `null` and `undefined` stand for. */
  readonly none: CancellationToken;
  /** A token that is cancelled from the start. */
  alreadyCancelled(reason?: CancelReasonLike): CancellationToken;
  /**
   * The token for anything token-like: a token is returned as it is, a signal gets one token for its life, whose
   * `signal` is that signal; nothing is `none`.
   *
   * @throws TypeError – anything else.
   */
  from(like: TokenLike | null | undefined): CancellationToken;
  /** A token that is cancelled with the earliest of these; `none` if none of them can be. */
  any(...likes: readonly (TokenLike | null | undefined)[]): CancellationToken;
  /**
   * A token that is cancelled when every one of these is, with the reason of the last.
   *
   * @throws TypeError – called with nothing.
   */
  all(...likes: readonly (TokenLike | null | undefined)[]): CancellationToken;
  /** A token that is cancelled with kind `deadline` after `ms` milliseconds; it does not keep the process alive. */
  timeout(ms: number): CancellationToken;
} = /* @__PURE__ */ Object.freeze({
  none: never,
  alreadyCancelled(reason?: CancelReasonLike): CancellationToken {
    const token = new Token(undefined);
    token.flags |= PASSIVE | OWN;
    mark(token, new Cancellation(createReason(reason)));
    return token;
  },
  from: (like: TokenLike | null | undefined): CancellationToken => tokenOf(like),
  any: (...likes: readonly (TokenLike | null | undefined)[]): CancellationToken => any(likes),
  all: (...likes: readonly (TokenLike | null | undefined)[]): CancellationToken => all(likes),
  timeout(ms: number): CancellationToken {
    requireMs('timeout(ms)', ms, 'infinity-allowed');
    if (ms === Infinity) return never;
    const token = new Token(undefined);
    token.flags |= PASSIVE;
    configure(token, { timeoutMs: ms });
    return token;
  },
});
