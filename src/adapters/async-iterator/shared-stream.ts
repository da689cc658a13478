/**
 * One source, several readers: each gets every item, each can be stopped alone, and the last one out closes the
 * source.
 *
 * Invariants:
 *
 * - **H1** The source is asked only when a reader that has seen everything asks; one question at a time.
 * - **H2** Unread items hang on the slowest reader, in a chain: nothing holds what every reader has passed.
 * - **H3** The source is closed by its own end, its token, or the departure of the last reader; by each once.
 *
 * Prior art: WHATWG `ReadableStream.tee()`, whose branches hide a cancel from each other; RxJS `share()`.
 *
 * @module
 */
import { any, type OptionsOnly, requireOptions, show, type TokenLike } from '../../core/inside.ts';
import type { EmitterLike } from '../internal/stream/event-target.ts';
import type { SourceEnd, SourceIterator } from '../internal/stream/source-end.ts';
import {
  cancellableIterable,
  type CancellableIterable,
  type CancellableIterableOptions,
} from './cancellable-iterable.ts';
import type { EventIterableOptions } from './event-source.ts';
import type { IterableSource } from './sources.ts';
import { optionNames, readerNames } from './shared-names.ts';

/**
 * Options of {@link sharedStream}.
 *
 * @since 0.1.0
 */
export interface SharedStreamOptions extends Omit<CancellableIterableOptions, 'mode'> {
  /**
   * How many items the fastest reader may be ahead of the slowest; it waits then. By default there is no bound, and
   * what the slowest has not read is kept for it.
   */
  readonly maxLag?: number | undefined;
}

/**
 * A source that several read.
 *
 * @since 0.1.0
 */
export interface SharedStream<T> extends AsyncIterable<T> {
  /** How many read it now. */
  readonly readers: number;
  /** Resolves when the source has ended, unwound or been given up; never rejects. */
  readonly closed: Promise<SourceEnd>;
  /**
   * A reader of everything from here on: the first item that has not come when it joins.
   *
   * @param token Whose stop, of this reader alone; the shared token stops it too.
   * @param options As for one iteration.
   * @throws TypeError – the last reader has left, and the source is closed.
   */
  reader(
    token?: TokenLike | null,
    options?: Pick<CancellableIterableOptions, 'idleMs' | 'onCut' | 'name'> & OptionsOnly,
  ): CancellableIterable<T>;
  /** A reader without a token of its own, for `for await`. */
  [Symbol.asyncIterator](): CancellableIterable<T>;
}

/** One place in the chain: empty until the source has answered. */
interface Place<T> {
  value?: T;
  next?: Place<T>;
}

const finished = { done: true, value: undefined } as const;

class Sharing<T> implements SharedStream<T> {
  readonly #token: TokenLike | null | undefined;
  readonly #source: CancellableIterable<T>;
  readonly #maxLag: number;
  readonly #branches = new Set<Branch<T>>();
  /** The empty place at the end. */
  #end: Place<T> = {};
  /** How many places have been filled. */
  #filled = 0;
  #asking: Promise<void> | undefined;
  /** Resolves when the slowest has moved on or somebody has left: those that wait look again. */
  #movement: Promise<void> | undefined;
  #wake: () => void = () => undefined;
  /** How many readers stand at each place, if they must not be too far apart. */
  readonly #at = new Map<number, number>();
  #slowest = 0;
  #outcome: { readonly error?: unknown; readonly status: 'completed' | 'failed' | 'left' } | undefined;

  constructor(token: TokenLike | null | undefined, source: CancellableIterable<T>, maxLag: number) {
    this.#token = token;
    this.#source = source;
    this.#maxLag = maxLag;
  }

  get readers(): number {
    return this.#branches.size;
  }

  get closed(): Promise<SourceEnd> {
    return this.#source.closed;
  }

  reader(
    token?: TokenLike | null,
    options?: Pick<CancellableIterableOptions, 'idleMs' | 'onCut' | 'name'> & OptionsOnly,
  ): CancellableIterable<T> {
    if (options !== undefined) requireOptions(options, readerNames);
    const both = any([this.#token, token]);
    if (this.#outcome?.status === 'left' && !both.isCancelled)
      throw new TypeError('The last reader has left: the shared stream is closed');
    const branch = new Branch<T>(this, this.#end, this.#filled);
    const reader = cancellableIterable(both, branch, options);
    // A reader of a cancelled token has left before it came, and was none.
    if (!both.isCancelled) {
      this.#branches.add(branch);
      if (this.#isBounded) this.#stand(branch.position, 1);
    }
    return reader;
  }

  [Symbol.asyncIterator](): CancellableIterable<T> {
    return this.reader();
  }

  /** Fills the place at the end, unless the source has ended (H1), and takes what is at the branch's place. */
  async read(branch: Branch<T>): Promise<IteratorResult<T, undefined>> {
    while (this.#isBounded && this.#filled - this.#slowest >= this.#maxLag && this.#branches.has(branch)) {
      // One promise for all that wait: one for each of thousands would live through the garbage collector's small heap.
      this.#movement ??= new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await this.#movement;
      if (branch.hasMore) return branch.take();
    }
    if (!this.#branches.has(branch)) return finished;
    if (this.#outcome === undefined) await (this.#asking ??= this.#ask());
    if (branch.hasMore) return branch.take();
    await this.leave(branch);
    if (this.#outcome?.status === 'failed') throw this.#outcome.error;
    return finished;
  }

  /** A reader has moved on by one place. */
  moved(branch: Branch<T>): void {
    if (!this.#isBounded || !this.#branches.has(branch)) return;
    this.#stand(branch.position - 1, -1);
    this.#stand(branch.position, 1);
    this.#followSlowest();
  }

  async leave(branch: Branch<T>): Promise<void> {
    if (!this.#branches.delete(branch)) return;
    if (this.#isBounded) {
      this.#stand(branch.position, -1);
      this.#followSlowest();
      // One that waits may be the one that has left.
      this.#signalMovement();
    }
    if (this.#branches.size > 0 || this.#outcome !== undefined) return;
    this.#outcome = { status: 'left' };
    await this.#source.return();
    const end = await this.#source.closed;
    if (end.status === 'failed') throw end.error;
  }

  get #isBounded(): boolean {
    return this.#maxLag !== Infinity;
  }

  #stand(position: number, change: 1 | -1): void {
    const count = (this.#at.get(position) ?? 0) + change;
    if (count === 0) this.#at.delete(position);
    else this.#at.set(position, count);
  }

  /** Readers only move on, so this passes each place once. */
  #followSlowest(): void {
    const before = this.#slowest;
    while (this.#slowest < this.#filled && !this.#at.has(this.#slowest)) this.#slowest += 1;
    if (this.#slowest > before) this.#signalMovement();
  }

  #signalMovement(): void {
    this.#movement = undefined;
    this.#wake();
  }

  async #ask(): Promise<void> {
    try {
      const { done, value } = await this.#source.next();
      if (done === true) this.#outcome ??= { status: 'completed' };
      else {
        const place = this.#end;
        place.value = value;
        this.#end = place.next = {};
        this.#filled += 1;
      }
    } catch (error) {
      this.#outcome ??= { status: 'failed', error };
    } finally {
      this.#asking = undefined;
    }
  }
}

/** What one reader reads from. */
class Branch<T> implements SourceIterator<T> {
  readonly #sharing: Sharing<T>;
  #place: Place<T>;
  /** How many places it has passed, counted from the source's first. */
  position: number;

  constructor(sharing: Sharing<T>, place: Place<T>, position: number) {
    this.#sharing = sharing;
    this.#place = place;
    this.position = position;
  }

  get hasMore(): boolean {
    return this.#place.next !== undefined;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    return this.hasMore ? Promise.resolve(this.take()) : this.#sharing.read(this);
  }

  /** What is at its place, which has been filled. */
  take(): IteratorResult<T, undefined> {
    const { value, next } = this.#place;
    this.#place = next as Place<T>;
    this.position += 1;
    this.#sharing.moved(this);
    return { done: false, value: value as T };
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    await this.#sharing.leave(this);
    return finished;
  }
}

/**
 * Lets several read one source, each under a token of its own. Unlike the branches of `tee()`, a reader that stops stops
 * nobody else, and when the last one has gone, the source hears of it.
 *
 * Readers that join before the first read get everything; a later one joins where the fastest is. Nothing is read while
 * nobody asks.
 *
 * @checkpoint always, at every read
 * @cleanup The source is closed when the last reader has left, at its own end, or by the token.
 * @param token Whose stop, of all readers and the source.
 * @param source What to read, as for {@link cancellableIterable}.
 * @param options Grace and idle limit in milliseconds of the source, and how far readers may be apart.
 * @returns Makes readers.
 * @throws TypeError, RangeError – arguments that make no sense.
 * @example
 * ```ts
 * import { sharedStream } from 'desist/async-iterator'
 *
 * async function* words() { yield 'one'; yield 'two'; yield 'three' }
 *
 * const shared = sharedStream(null, words())
 * const [screen, log] = [shared.reader(), shared.reader()]
 * const shown: string[] = []
 * for await (const word of screen) shown.push(word)
 * shown // => ['one', 'two', 'three']
 * await log.next() // => { done: false, value: 'one' }
 * await log.return()
 * await shared.closed // => { status: 'completed' }
 * ```
 * @source WHATWG `tee()`, RxJS `share()`
 * @since 0.1.0
 */
export function sharedStream<T>(
  token: TokenLike | null | undefined,
  source: IterableSource<T>,
  options?: SharedStreamOptions,
): SharedStream<T>;
/** The events of an emitter: each is an item. */
export function sharedStream<T = unknown>(
  token: TokenLike | null | undefined,
  source: EmitterLike,
  options: SharedStreamOptions & EventIterableOptions,
): SharedStream<T>;
export function sharedStream<T>(
  token: TokenLike | null | undefined,
  source: IterableSource<T> | EmitterLike,
  options: SharedStreamOptions & Partial<EventIterableOptions> = {},
): SharedStream<T> {
  requireOptions(options, optionNames);
  const { maxLag = Infinity, ...rest } = options;
  if (typeof maxLag !== 'number') throw new TypeError(`maxLag must be a number, got ${show(maxLag)}`);
  if (maxLag !== Infinity && (!Number.isInteger(maxLag) || maxLag < 1)) {
    throw new RangeError(`maxLag must be a whole number, 1 or more, got ${String(maxLag)}`);
  }
  return new Sharing(token, cancellableIterable<T>(token, source as IterableSource<T>, rest), maxLag);
}
