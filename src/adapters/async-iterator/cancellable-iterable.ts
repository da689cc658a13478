/**
 * Any source of items under a token: a pending read settles at once, and a cut is never taken for the end. Prior art:
 * `abortable-iterator`, `abort-controller-x`, .NET's `WithCancellation(token)`.
 *
 * @module
 */
import {
  callSafely,
  type CancelReason,
  DEFAULT_GRACE_MS,
  type OptionNames,
  type OptionsOnly,
  requireFunction,
  requireMs,
  requireOneOf,
  requireOptions,
  type TokenLike,
  tokenOf,
} from '../../core/inside.ts';
import { CallScope } from '../internal/call-scope.ts';
import type { EmitterLike } from '../internal/stream/event-target.ts';
import type { SourceEnd } from '../internal/stream/source-end.ts';
import { CutStream } from '../internal/stream/stream-cut.ts';
import { CheckedIterable } from './checked-iterable.ts';
import type { EventIterableOptions } from './event-source.ts';
import { sourceOf, type IterableSource } from './sources.ts';

/**
 * What a cut left.
 *
 * @since 0.1.0
 */
export interface IterableCut {
  /** Why it was cut. */
  readonly reason: CancelReason;
  /**
   * What becomes of the source; never rejects. `abandoned` is one that had not unwound when its grace was over: its
   * `finally` has not run, and may never.
   */
  readonly closed: Promise<SourceEnd>;
}

/**
 * Options of {@link cancellableIterable}.
 *
 * @since 0.1.0
 */
export interface CancellableIterableOptions extends OptionsOnly {
  /** Milliseconds that a source may take to unwind, 1,000 by default. A cut does not wait for it, leaving does. */
  readonly graceMs?: number | undefined;
  /** Milliseconds without an item, counted only while somebody waits for one. Needs mode `'wake'`. */
  readonly idleMs?: number | undefined;
  /** Told once when a cancel or the limit cut the iteration. */
  readonly onCut?: ((cut: IterableCut) => void) | undefined;
  /**
   * `'wake'`, the default: a pending read settles in the tick of the cancel. `'check'`: the token is only looked at
   * before each read, at next to no cost, for sources that answer soon or hear the stop themselves.
   */
  readonly mode?: 'wake' | 'check' | undefined;
  /** Names the iteration in reasons. */
  readonly name?: string | undefined;
}

/**
 * An iteration under a token; it can be read once, like a generator.
 *
 * @since 0.1.0
 */
export interface CancellableIterable<T> extends AsyncIterator<T, undefined>, AsyncIterable<T> {
  /**
   * Resolves when the source has ended, unwound or been given up; never rejects. Pending while nobody reads, and in mode
   * `'check'` also when the source ended by itself.
   */
  readonly closed: Promise<SourceEnd>;
  /** Leaves: closes the source, and waits for that within the grace. */
  return(): Promise<IteratorResult<T, undefined>>;
  /** The same as `return()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

class TokenIterable<T> implements CancellableIterable<T> {
  readonly #cut: CutStream<T>;

  constructor(cut: CutStream<T>) {
    this.#cut = cut;
  }

  get closed(): Promise<SourceEnd> {
    return this.#cut.closed;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    return this.#cut.next();
  }

  return(): Promise<IteratorResult<T, undefined>> {
    return this.#cut.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cut.return();
  }
}

const optionNames: OptionNames<CancellableIterableOptions & EventIterableOptions> = {
  graceMs: 1,
  idleMs: 1,
  onCut: 1,
  mode: 1,
  name: 1,
  event: 1,
  endOn: 1,
  failOn: 1,
};

/**
 * Reads any source of items under a token: async iterables, iterators, web and Node streams, and the events of an
 * emitter. The loop ends normally only if the source ended by itself.
 *
 * The source is asked for one item at a time, and only when its reader asks: back-pressure is the source's own. Its
 * `return()` is called once, on a cut as on a `break`, also if it is stuck in a read; how that went is in `closed`.
 *
 * @checkpoint always, at every read
 * @fairness A cancel beats an item that arrived but was not read yet. In mode `'check'` an item that was asked for
 * before the cancel is delivered.
 * @cleanup One registration for the whole iteration, none per item; gone at its end. A `break` closes the source; an
 * iteration that is forgotten half-way is closed when it is collected.
 * @param token Whose stop.
 * @param source What to read. An emitter needs the option `event`; it is listened to from the call on.
 * @param options Grace and idle limit in milliseconds, what to do about a cut.
 * @returns The iteration.
 * @throws CancelledError – from a read: the token was cancelled. DeadlineExceededError – from a read: `idleMs` passed.
 * @throws TypeError, RangeError – arguments that make no sense.
 * @example A stop, half-way
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { cancellableIterable } from 'desist/async-iterator'
 *
 * const stop = new CancellationTokenSource()
 * const heard: string[] = []
 * async function* words() { yield 'one'; yield 'two'; await new Promise(() => {}) } // stuck
 * try {
 *   for await (const word of cancellableIterable(stop.token, words())) {
 *     heard.push(word)
 *     if (word === 'two') setTimeout(() => stop.cancel('user'), 5)
 *   }
 * } catch (error) {
 *   heard.push((error as Error).name)
 * }
 * heard // => ['one', 'two', 'AbortError']
 * ```
 * @source `abortable-iterator`
 * @since 0.1.0
 */
export function cancellableIterable<T>(
  token: TokenLike | null | undefined,
  source: IterableSource<T>,
  options?: CancellableIterableOptions,
): CancellableIterable<T>;
/** The events of an emitter: each is an item. */
export function cancellableIterable<T = unknown>(
  token: TokenLike | null | undefined,
  source: EmitterLike,
  options: CancellableIterableOptions & EventIterableOptions,
): CancellableIterable<T>;
export function cancellableIterable<T>(
  token: TokenLike | null | undefined,
  source: IterableSource<T> | EmitterLike,
  options: CancellableIterableOptions & Partial<EventIterableOptions> = {},
): CancellableIterable<T> {
  requireOptions(options, optionNames);
  const { graceMs = DEFAULT_GRACE_MS, idleMs, onCut, mode = 'wake', name } = options;
  const node = tokenOf(token);
  requireMs('graceMs', graceMs, 'finite');
  if (onCut !== undefined) requireFunction('onCut', onCut);
  requireOneOf('mode', mode, ['wake', 'check']);
  const tell = (reason: CancelReason, closed: Promise<SourceEnd>): void => {
    callSafely(node, onCut, { reason, closed });
  };
  if (mode === 'check') {
    if (idleMs !== undefined) throw new TypeError("idleMs needs mode 'wake': nobody watches the clock in mode 'check'");
    return new CheckedIterable(node, sourceOf(source, options) as never, { graceMs, tell });
  }
  const scope = new CallScope([node], { idleMs, name });
  const { open, discard } = sourceOf(source, options);
  const cut: CutStream<unknown> = new CutStream({
    scope,
    graceMs,
    open,
    discard,
    onCut: () => {
      const { reason } = scope.token;
      if (reason !== undefined) tell(reason, cut.closed);
    },
  });
  cut.listen();
  return new TokenIterable(cut as CutStream<T>);
}
