/**
 * `CancellationToken` and `CancellationTokenSource` as values: the ways to make one.
 * On the token floor as its top: what the front door shows of this room.
 * Prior art: .NET, tokio-util; the statics of `AbortSignal`.
 *
 * @module
 */
import { requireMs } from '../foundation/check.ts';
import { pin } from '../foundation/pin.ts';
import { createReason, type CancelReasonInit } from '../foundation/reason.ts';
import type {
  CancellationToken as TokenHandle,
  CancellationTokenSource as SourceHandle,
  CancellationTokenSourceOptions,
  TokenLike,
} from './handles.ts';
import { configure } from './configure.ts';
import { all, any, linkParents, never, tokenOf } from './link.ts';
import { Cancellation, OWN, PASSIVE } from './node.ts';
import { mark } from './pull.ts';
import { Source, Token, childOf } from './source.ts';

/** The ways to make a token without a source. */
export interface CancellationTokenStatics {
  /** A token that nothing ever cancels; what `null` and `undefined` stand for. */
  readonly none: TokenHandle;
  /** A token that is cancelled from the start. */
  alreadyCancelled(reason?: CancelReasonInit | string): TokenHandle;
  /**
   * The token for anything token-like: a token is returned as it is, a signal gets one token for its life, whose
   * `signal` is that signal; nothing is `none`.
   *
   * @throws TypeError – anything else.
   */
  from(like: TokenLike | null | undefined): TokenHandle;
  /** A token that is cancelled with the earliest of these; `none` if none of them can be. */
  any(...likes: readonly (TokenLike | null | undefined)[]): TokenHandle;
  /**
   * A token that is cancelled when every one of these is, with the reason of the last.
   *
   * @throws TypeError – called with nothing.
   */
  all(...likes: readonly (TokenLike | null | undefined)[]): TokenHandle;
  /** A token that is cancelled with kind `deadline` after `ms` milliseconds; it does not keep the process alive. */
  timeout(ms: number): TokenHandle;
}

/**
 * The read handle.
 *
 * @since 0.1.0
 */
export type CancellationToken = TokenHandle;
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
export const CancellationToken: CancellationTokenStatics = Object.freeze({
  none: never,
  alreadyCancelled(reason?: CancelReasonInit | string): TokenHandle {
    const token = new Token(undefined);
    token.flags |= PASSIVE | OWN;
    mark(token, new Cancellation(createReason(reason)));
    return token;
  },
  from: (like: TokenLike | null | undefined): TokenHandle => tokenOf(like),
  any: (...likes: readonly (TokenLike | null | undefined)[]): TokenHandle => any(likes),
  all: (...likes: readonly (TokenLike | null | undefined)[]): TokenHandle => all(likes),
  timeout(ms: number): TokenHandle {
    requireMs('timeout(ms)', ms, 'infinity-allowed');
    if (ms === Infinity) return never;
    const token = new Token(undefined);
    token.flags |= PASSIVE;
    configure(token, { timeoutMs: ms });
    return token;
  },
});

/** What `new CancellationTokenSource()` can be called with. */
export interface CancellationTokenSourceConstructor {
  new (options?: CancellationTokenSourceOptions): SourceHandle;
  readonly prototype: SourceHandle;
}

/** A source with the parents its options name: one, several or none. */
export function sourceBelow(options: CancellationTokenSourceOptions): Source {
  return new Source(below(options.parent), options);
}

class RootSource extends Source {
  constructor(options?: CancellationTokenSourceOptions) {
    // One made of nothing takes the short way: as cheap as the two objects it is.
    super(options === undefined ? new Token(undefined) : below(options.parent), options);
  }
}
// A source that `child()` made is one as well. Not a static member: with one, V8 makes every instance the slow way.
Object.defineProperty(RootSource, Symbol.hasInstance, { value: (value: unknown): boolean => value instanceof Source });

pin(new RootSource());

/** A node that follows one parent, several or none, and can be cancelled by itself. */
function below(parent: TokenLike | readonly TokenLike[] | null | undefined): Token {
  if (parent === undefined || parent === null) return new Token(undefined);
  if (!isList(parent)) return childOf(tokenOf(parent));
  const parents = [...new Set(parent.map(tokenOf))];
  const [first] = parents;
  if (first === undefined) return new Token(undefined);
  const token = childOf(first);
  if (parents.length === 1) return token;
  token.parent = undefined;
  linkParents(token, parents);
  return token;
}

function isList(parent: TokenLike | readonly TokenLike[]): parent is readonly TokenLike[] {
  return Array.isArray(parent);
}

/**
 * The write handle.
 *
 * @since 0.1.0
 */
export type CancellationTokenSource = SourceHandle;
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
export const CancellationTokenSource: CancellationTokenSourceConstructor = RootSource;
