/**
 * The two handles of a token as people know them: the one that work reads, and the one that can cancel it. Each leads to the
 * other, so they stand together, and what makes them knows them from here.
 *
 * @module
 */
import type { CancelReason, CancelReasonLike } from '../foundation/reason.ts';
import type { ChildOptions } from './configure.ts';
import type { Registration } from './tree/listeners.ts';

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
 * A guard that cancels its source when it is disposed, unless it was disarmed first.
 *
 * @cleanup Disposing twice is harmless.
 * @source tokio-util `DropGuard`
 * @since 0.1.0
 */
export interface CancelGuard {
  /** The guarded token. */
  readonly token: CancellationToken;
  /** Lets the source live: disposing does nothing afterwards. */
  disarm(): void;
  /** Cancels the source with kind `unknown`, unless disarmed. */
  [Symbol.dispose](): void;
}

/**
 * Options of `source.cancel()`.
 *
 * @since 0.1.0
 */
export interface CancelOptions {
  /** Kills after so many milliseconds, unless the source is released before. */
  readonly graceMs?: number | undefined;
}

/**
 * The write handle: makes one token and can cancel it, once.
 *
 * Disposing a source is not cancelling it: `release()` lets go of the parent and freezes the state as it is.
 *
 * @cleanup `release()`, or `using`, when the work it stood for has ended.
 * @source .NET `CancellationTokenSource`
 * @since 0.1.0
 */
export interface CancellationTokenSource {
  /** The read handle to pass on. */
  readonly token: CancellationToken;
  /** `token.signal`. */
  readonly signal: AbortSignal;
  /** `token.isCancelled`. */
  readonly isCancelled: boolean;
  /** `token.reason`. */
  readonly reason: CancelReason | undefined;
  /**
   * Asks everything below to stop. A request: it waits for nothing and never throws, whatever it is given. What cannot
   * be a reason becomes the cause of one of kind `unknown`; it and a grace that makes no sense are reported to
   * `onCallbackError`.
   *
   * @param reason A message, a kind, an error or a reason; kind `unknown` if you do not say, as with `null` or an event.
   * @param options `graceMs` arms `kill()` after so many milliseconds.
   * @returns Whether this call won: `false` if it was cancelled before, here or above, or released.
   */
  cancel(reason?: CancelReasonLike, options?: CancelOptions | null): boolean;
  /**
   * The forceful rung: cancels if nobody has, keeps the first reason, and reaches through shields. Never throws.
   *
   * @returns Whether this call was the first kill here.
   */
  kill(reason?: CancelReasonLike): boolean;
  /**
   * Cancels after `ms` milliseconds from now instead of whatever limit was set here before; `Infinity` disarms.
   *
   * @throws TypeError, RangeError – not a number, NaN or negative.
   */
  cancelAfter(ms: number, reason?: CancelReasonLike): void;
  /** A guard for `using`: leaving the block cancels this source, unless disarmed. */
  dropGuard(): CancelGuard;
  /** Unlinks and freezes, without cancelling. */
  release(): void;
  /** The same as `release()`, for `using`. */
  [Symbol.dispose](): void;
}
