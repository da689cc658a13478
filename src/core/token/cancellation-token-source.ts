/**
 * `CancellationTokenSource`: the write handle, and its constructor. Prior art: .NET `CancellationTokenSource`,
 * tokio-util's `DropGuard`.
 *
 * @module
 */
import { requireOptions, type OptionNames } from '../foundation/check.ts';
import { recognise } from '../foundation/brand.ts';
import { tokenBelow, tokenOf } from './bridge/linked-tokens.ts';
import type { ChildOptions } from './configure.ts';
import type { CancellationTokenSource as WriteHandle, TokenLike } from './read-and-write.ts';
import { Source, isSource } from './source.ts';
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
 * The write handle: see its members.
 *
 * @since 0.1.0
 */
export type CancellationTokenSource = WriteHandle;

/** A source with the parents its options name: one, several or none. */
export function sourceBelow(options: CancellationTokenSourceOptions): Source {
  return new Source(below(options.parent), options);
}

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
  new (options?: CancellationTokenSourceOptions): WriteHandle;
  readonly prototype: WriteHandle;
} = RootSource;
