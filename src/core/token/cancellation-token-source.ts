/**
 * `CancellationTokenSource`: the write handle, and its constructor. Prior art: .NET `CancellationTokenSource`,
 * tokio-util's `DropGuard`.
 *
 * @module
 */
import { requireOptions, type OptionNames } from '../foundation/check.ts';
import type { CancelReason, CancelReasonLike } from '../foundation/reason.ts';
import { recognise } from '../foundation/brand.ts';
import { tokenBelow, tokenOf } from './bridge/linked-tokens.ts';
import type { CancellationToken, TokenLike } from './cancellation-token.ts';
import type { ChildOptions } from './configure.ts';
import { Source, isSource, type CancelOptions } from './source.ts';
import { PARENT_OPTION, Token } from './token.ts';

/**
 * Options of `new CancellationTokenSource()`.
 *
 * @since 0.1.0
 */
export interface CancellationTokenSourceOptions extends ChildOptions {
  /** What cancels this source with itself: one token or signal, or the earliest of several. */
  readonly parent?: TokenLike | readonly TokenLike[] | null | undefined;
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

/** A source with the parents its options name: one, several or none. */
export function sourceBelow(options: CancellationTokenSourceOptions): Source {
  return new Source(below(options.parent), options);
}

// Written out, as a bundler keeps a spread at the top of a module in every bundle.
const optionNames: OptionNames<CancellationTokenSourceOptions> = {
  parent: 1,
  name: 1,
  timeoutMs: 1,
  deadlineAt: 1,
  clock: 1,
  captureStack: 1,
  onCallbackError: 1,
};

class RootSource extends Source {
  static readonly pinned: Source = /* @__PURE__ */ setUp(RootSource);

  constructor(options?: CancellationTokenSourceOptions) {
    // One made of nothing takes the short way: as cheap as the two objects it is.
    if (options !== undefined) requireOptions(options, optionNames, PARENT_OPTION);
    super(options === undefined ? new Token(undefined) : below(options.parent), options);
  }
}

/** A node that follows one parent, several or none, and can be cancelled by itself. */
function below(parent: TokenLike | readonly TokenLike[] | null | undefined): Token {
  if (parent === undefined || parent === null) return new Token(undefined);
  return tokenBelow(isList(parent) ? [...parent].map(tokenOf) : [tokenOf(parent)]);
}

function isList(parent: TokenLike | readonly TokenLike[]): parent is readonly TokenLike[] {
  return Array.isArray(parent);
}

/** Every source is an instance, also one that `child()` or another copy of the package made. */
function setUp(type: typeof RootSource): Source {
  return new (recognise(type, isSource))();
}

/**
 * Makes a token and keeps the right to cancel it.
 *
 * @example
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 *
 * const source = new CancellationTokenSource({ name: 'download' })
 * source.token.onCancelled((reason) => reason.message)
 * source.cancel({ kind: 'user' }) // => true
 * source.token.isCancelled // => true
 * ```
 * @throws TypeError, RangeError – an option that makes no sense.
 * @cleanup `release()`, or `using`.
 * @source .NET `CancellationTokenSource`
 * @since 0.1.0
 */
export const CancellationTokenSource: {
  /** Makes a source, with a token of its own. */
  new (options?: CancellationTokenSourceOptions): CancellationTokenSource;
  readonly prototype: CancellationTokenSource;
} = RootSource;
