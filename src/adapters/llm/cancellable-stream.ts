/**
 * A model's stream under a token: a cut is never taken for completion, and a stuck source never holds up a stop.
 * Prior art: `abort-controller-x`, `it-abortable-iterator`.
 *
 * @module
 */
import {
  type CancelReason,
  DEFAULT_GRACE_MS,
  type OptionNames,
  type OptionsOnly,
  reportCallbackError,
  requireFunction,
  requireOpener,
  requireMs,
  requireOptions,
  show,
  type TokenLike,
  tokenOf,
} from '../../core/inside.ts';
import { CallScope } from '../internal/call-scope.ts';
import { CutStream, type SourceEnd, type SourceIterator } from '../internal/stream/stream-cut.ts';
import { callContext, type CallContext } from './call-context.ts';
import type { StreamFold } from './folds/fold.ts';
import { IncompleteReplyError } from './incomplete-reply-error.ts';

export type { SourceEnd } from '../internal/stream/stream-cut.ts';

/**
 * Opens a stream: an SDK's call with `stream: true`, its `.stream()` helper, any async iterable, or a promise of one.
 *
 * Return a helper as soon as it is made: until it is read, nobody hears it reject, and a stop would be an unhandled
 * rejection.
 *
 * @since 0.1.0
 */
export type OpenStream<E> = (context: CallContext) => AsyncIterable<E> | PromiseLike<AsyncIterable<E>>;

/**
 * Options of {@link cancellableStream}.
 *
 * @since 0.1.0
 */
export interface CancellableStreamOptions<E, R> extends OptionsOnly {
  /** Makes the fold that keeps what has come so far, for example `foldAnthropic`. */
  readonly fold?: (() => StreamFold<NoInfer<E>, R>) | undefined;
  /**
   * Refuses a stream that ended by itself before the reply was complete, as a proxy may end one: the last read rejects with
   * {@link IncompleteReplyError}. Needs a fold whose value says `isComplete`; `false` by default.
   */
  readonly requireComplete?: boolean | undefined;
  /** Told once when a cancel or a limit cut the stream: what had come, and why. */
  readonly onCut?: ((partial: R, reason: CancelReason) => void) | undefined;
  /** Milliseconds without an event, counted only while somebody waits for one. */
  readonly idleMs?: number | undefined;
  /** Milliseconds for the whole stream. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds that a source may take to unwind, 1,000 by default. A cut does not wait for it, leaving does. */
  readonly graceMs?: number | undefined;
  /** Names the call in reasons. */
  readonly name?: string | undefined;
  /** What the context's `fetch` calls, instead of the global one. */
  readonly fetch?: typeof fetch | undefined;
}

/**
 * A stream that can be read once, with `for await`.
 *
 * @since 0.1.0
 */
export interface CancellableStream<E, R = undefined> extends AsyncIterator<E, undefined>, AsyncIterable<E> {
  /** What the fold has made of the events so far; `undefined` without a fold. */
  readonly partial: R;
  /** Resolves when the source has ended, unwound or been given up; never rejects. Pending while nobody reads. */
  readonly closed: Promise<SourceEnd>;
  /** Leaves the stream: closes its source, and waits for that within the grace. */
  return(): Promise<IteratorResult<E, undefined>>;
  /** The same as `return()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a fold's value says of its end. */
function isIncomplete(value: unknown): boolean {
  return (value as { readonly isComplete?: unknown } | null | undefined)?.isComplete === false;
}

class TokenStream<E, R> implements CancellableStream<E, R> {
  readonly #cut: CutStream<E>;
  readonly #fold: StreamFold<E, R> | undefined;

  constructor(token: TokenLike | null | undefined, open: OpenStream<E>, options: CancellableStreamOptions<E, R>) {
    const { fold: makeFold, onCut, idleMs, timeoutMs, graceMs = DEFAULT_GRACE_MS, name, fetch: fetchImpl } = options;
    const fold = makeFold?.();
    const scope = new CallScope([token], { idleMs, timeoutMs, name });
    this.#fold = fold;
    this.#cut = new CutStream<E>({
      scope,
      graceMs,
      open: () => openSource(open, callContext(scope, fetchImpl)),
      onItem:
        fold === undefined
          ? undefined
          : (event) => {
              fold.add(event);
            },
      onEnd: () => {
        if (options.requireComplete === true && isIncomplete(fold?.value)) throw new IncompleteReplyError(fold?.value);
        fold?.end?.();
      },
      onCut: () => {
        const { reason } = scope.token;
        if (onCut === undefined || reason === undefined) return;
        try {
          onCut(fold?.value as R, reason);
        } catch (error) {
          reportCallbackError(tokenOf(scope.token), error);
        }
      },
    });
  }

  get partial(): R {
    return this.#fold?.value as R;
  }

  get closed(): Promise<SourceEnd> {
    return this.#cut.closed;
  }

  next(): Promise<IteratorResult<E, undefined>> {
    return this.#cut.next();
  }

  return(): Promise<IteratorResult<E, undefined>> {
    return this.#cut.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}

function openSource<E>(open: OpenStream<E>, context: CallContext): SourceIterator<E> | Promise<SourceIterator<E>> {
  const opened = open(context);
  // In the tick of the opening: the SDKs' `.stream()` helpers reject to nobody, hence unhandled, while nobody iterates.
  return isIterable<E>(opened) ? iteratorOf(opened) : Promise.resolve(opened).then(iteratorOf);
}

function isIterable<E>(value: unknown): value is AsyncIterable<E> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<AsyncIterable<E>>)[Symbol.asyncIterator] === 'function'
  );
}

function iteratorOf<E>(stream: AsyncIterable<E>): SourceIterator<E> {
  if (!isIterable<E>(stream)) throw new TypeError(`open must return an async iterable, got ${show(stream)}`);
  return stream[Symbol.asyncIterator]() as SourceIterator<E>;
}

/** Names of the options of a stream. */
export const streamNames: OptionNames<CancellableStreamOptions<unknown, unknown>> = {
  fold: 1,
  requireComplete: 1,
  onCut: 1,
  idleMs: 1,
  timeoutMs: 1,
  graceMs: 1,
  name: 1,
  fetch: 1,
};

/**
 * Reads a model's stream under a token. The loop ends normally only if the source ended by itself: SDK loops that
 * silently stop when their signal fires end here with `CancelledError`, as they should.
 *
 * Nothing happens before the first read; then `open` is called once. It can be read once, like a generator.
 *
 * @checkpoint always, at every read
 * @fairness A cancel beats an event that arrived but was not read yet; what the reader was given is in `partial`.
 * @cleanup The call's token is released when the source ended or unwound, or its grace passed. `break` closes the
 * source and its connection; a stream that is forgotten half-read is closed when it is collected.
 * @param token Whose stop.
 * @param open Gets the call's signal; returns the stream, or a promise of it.
 * @param options Fold, limits in milliseconds, what to do about a cut.
 * @returns The stream; pending reads settle in the tick of a cancel, whatever the source does.
 * @throws CancelledError – from a read: the token was cancelled. DeadlineExceededError – from a read: a limit of this
 * call passed. IncompleteReplyError – from the last read: the source ended early, and `requireComplete` was asked for.
 * TypeError, RangeError – arguments that make no sense.
 * @example
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { cancellableStream } from 'desist/llm'
 *
 * const stop = new CancellationTokenSource()
 * async function* words() { yield 'one'; yield 'two'; yield 'three' }
 *
 * const heard: string[] = []
 * try {
 *   for await (const word of cancellableStream(stop.token, () => words())) {
 *     heard.push(word)
 *     if (word === 'two') stop.cancel('user')
 *   }
 * } catch (error) {
 *   heard.push((error as Error).name)
 * }
 * heard // => ['one', 'two', 'AbortError']
 * ```
 * @source `abort-controller-x`; the WHATWG reader
 * @since 0.1.0
 */
export function cancellableStream<E, R = undefined>(
  token: TokenLike | null | undefined,
  open: OpenStream<E>,
  options: CancellableStreamOptions<E, R> = {},
): CancellableStream<E, R> {
  requireOptions(options, streamNames);
  return streamOf(token, open, options);
}

/** The same for a door of its own, which has refused the names that it does not know. */
export function streamOf<E, R>(
  token: TokenLike | null | undefined,
  open: OpenStream<E>,
  options: CancellableStreamOptions<E, R>,
): CancellableStream<E, R> {
  requireOpener('open', open);
  const { fold, onCut, graceMs, fetch: fetchImpl } = options;
  if (fold !== undefined) requireFunction('fold', fold);
  if (options.requireComplete === true) requireFunction('fold', fold);
  if (onCut !== undefined) requireFunction('onCut', onCut);
  if (fetchImpl !== undefined) requireFunction('fetch', fetchImpl);
  if (graceMs !== undefined) requireMs('graceMs', graceMs, 'finite');
  return new TokenStream(token, open, options);
}
