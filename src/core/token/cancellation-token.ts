/**
 * `CancellationToken`: the read handle, and the ways to make one without a source. Prior art: .NET
 * `CancellationToken`, tokio-util `CancellationToken`, VS Code's `CancellationToken`; the statics of `AbortSignal`.
 *
 * @module
 */
import { requireMs } from '../foundation/check.ts';
import { createReason, type CancelReason, type CancelReasonLike } from '../foundation/reason.ts';
import { all, any, never, tokenOf } from './bridge/linked-tokens.ts';
import type { CancellationTokenSource } from './cancellation-token-source.ts';
import { configure, type ChildOptions } from './configure.ts';
import { Token } from './token.ts';
import type { Registration } from './tree/listeners.ts';
import { Cancellation, OWN, PASSIVE } from './tree/node.ts';
import { mark } from './tree/state.ts';

/**
 * What every function of the package accepts as its first parameter, next to `null` and `undefined` (= nothing to
 * stop it).
 *
 * @since 0.1.0
 */
export type TokenLike = CancellationToken | AbortSignal;

/**
 * Says whether, why and by when work should stop. Cannot itself cancel anything.
 *
 * State is read synchronously and is true for every descendant before the first callback of a cancel runs.
 *
 * @source .NET, tokio-util, Trio
 * @since 0.1.0
 */
export interface CancellationToken {
  /** Whether a stop was asked for, here or above. Costs about as much as reading a field. */
  readonly isCancelled: boolean;
  /** Whether the forceful rung was reached: clean-up itself should end now. */
  readonly isKilled: boolean;
  /** `false` for a token that nothing can ever cancel. */
  readonly canBeCancelled: boolean;
  /** Why; `undefined` while live. The first reason wins. */
  readonly reason: CancelReason | undefined;
  /** The name of the scope, for reports. */
  readonly name: string | undefined;
  /** The earliest deadline of this token and everything above it, epoch ms on its clock; `Infinity` if there is none. */
  readonly deadlineAt: number;
  /** Milliseconds to `deadlineAt`, 0 or more; `Infinity` if there is none. */
  remainingMs(): number;
  /** A real, native `AbortSignal`, made when first asked for; the same object every time. Its reason is a `CancelledError`. */
  readonly signal: AbortSignal;
  /**
   * @checkpoint always
   * @throws CancelledError – if cancelled.
   */
  throwIfCancelled(): void;
  /**
   * Calls `fn` with the reason when the token is cancelled; at once, synchronously, if it already is.
   *
   * @fairness Callbacks of one token run in registration order, then those of its children.
   * @cleanup `unregister()`; a callback that throws stops nobody and is reported to the source's `onCallbackError`.
   */
  onCancelled(fn: (reason: CancelReason) => void): Registration;
  /** As `onCancelled`, for the forceful rung. */
  onKilled(fn: (reason: CancelReason) => void): Registration;
  /** A promise that resolves with the reason; it never rejects, and stays pending for ever if nothing is cancelled. */
  whenCancelled(): Promise<CancelReason>;
  /**
   * A source whose token is cancelled with this one, and can be cancelled by itself without touching this one.
   * Release it when its work ends; a forgotten one costs nothing unless somebody listens below it.
   */
  child(options?: ChildOptions): CancellationTokenSource;
}

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
