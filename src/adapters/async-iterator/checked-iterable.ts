/**
 * An iteration that only looks at its token: what a read costs beyond the source's own is one check. Prior art: the
 * `throwIfCancelled()` that people write at the top of a loop.
 *
 * @module
 */
import { cancelIfOverdue, type CancelReason, clockOf, errorOf, isCancelled, type Token } from '../../core/inside.ts';
import { awaitUnwind, type SourceEnd, type SourceIterator } from '../internal/stream/source-end.ts';
import type { OpenableSource } from './sources.ts';

/** How to end. */
interface CheckedOptions {
  readonly graceMs: number;
  /** Told of a cut. */
  readonly tell: (reason: CancelReason, closed: Promise<SourceEnd>) => void;
}

type Result<T> = IteratorResult<T, undefined>;

const finished = { done: true, value: undefined } as const;

/** Reads a source as long as its token lives. */
export class CheckedIterable<T> {
  readonly #token: Token;
  readonly #openable: OpenableSource<T>;
  readonly #options: CheckedOptions;
  /** Open and not closed. */
  #source: SourceIterator<T> | undefined;
  #ended = false;
  #cut: Error | undefined;
  #settleEnd: (end: SourceEnd) => void = () => undefined;
  readonly closed: Promise<SourceEnd>;

  constructor(token: Token, openable: OpenableSource<T>, options: CheckedOptions) {
    this.#token = token;
    this.#openable = openable;
    this.#options = options;
    this.closed = new Promise((resolve) => {
      this.#settleEnd = resolve;
    });
  }

  next(): Promise<Result<T>> {
    const source = this.#source;
    if (source === undefined || isCancelled(this.#token)) return this.#nextSlowly();
    // The source's own promise: a promise of ours would cost as much again. Its value at the end is not read by loops.
    return source.next() as Promise<Result<T>>;
  }

  async return(): Promise<Result<T>> {
    if (!this.#ended) await this.#close();
    return finished;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  async #nextSlowly(): Promise<Result<T>> {
    if (this.#cut !== undefined) throw this.#cut;
    if (this.#ended) return finished;
    if (cancelIfOverdue(this.#token)) {
      const error = (this.#cut = errorOf(this.#token));
      void this.#close();
      this.#options.tell(error.reason, this.closed);
      throw error;
    }
    this.#source = this.#openable.open();
    return (await this.#source.next()) as Result<T>;
  }

  async #close(): Promise<void> {
    this.#ended = true;
    const { discard } = this.#openable;
    const source = this.#source;
    this.#source = undefined;
    const closing = (async () => {
      if (source === undefined) await discard();
      else await source.return?.();
    })();
    const end = await awaitUnwind(closing, this.#options.graceMs, clockOf(this.#token));
    this.#settleEnd(end);
  }
}
