/**
 * Reading a stream that somebody else produces so that a cancel cuts it: the pending read settles at once, the end of
 * the source is never taken for completion, and the source is closed without waiting for one that is stuck.
 *
 * Invariants:
 *
 * - **C1** A stream ends once: completed, failed, cut or left. After a cut every read rejects with the same error.
 * - **C2** No read is pending after the end, whatever the source does.
 * - **C3** The scope is cancelled when the source may still be at work, and released at the end in every case.
 * - **C4** A stream that nobody holds any more is left, as by `break`: the token holds it only while a read is pending.
 *
 * Prior art: `abort-controller-x`, `it-abortable-iterator`, the WHATWG reader whose reads reject when it errors.
 *
 * @module
 */
import type { Registration } from '../../../core/inside.ts';
import type { CallScope } from '../call-scope.ts';
import type { CutOptions } from './cut-options.ts';
import { PendingReads, finished, openRead, openedRead, type Read, type Result } from './pending-reads.ts';
import { awaitUnwind, closeHeld, OwedAnswers, toPromise, type SourceEnd, type SourceIterator } from './source-end.ts';

export type { SourceEnd, SourceIterator } from './source-end.ts';

/** What the token holds of a stream, and what is left of it when it was collected (C4). */
interface Hold<T> {
  readonly scope: CallScope;
  readonly weak: WeakRef<CutStream<T>>;
  readonly discard: (() => unknown) | undefined;
  /** The stream itself, while somebody reads. */
  strong: CutStream<T> | undefined;
  source: SourceIterator<T> | undefined;
}

const lost = /* @__PURE__ */ new FinalizationRegistry<Pick<Hold<unknown>, 'scope' | 'source' | 'discard'>>((hold) => {
  // Both words, as when a reader leaves: not every source listens to its signal for as long as it streams.
  void closeHeld(hold).catch(() => undefined);
  hold.scope.cancel('The reader lost the stream');
  hold.scope.release();
});

/** One stream, read once. */
export class CutStream<T> {
  readonly #options: CutOptions<T>;
  readonly #hold: Hold<T>;
  /** The scope, if it limits idleness. */
  readonly #idle: CallScope | undefined;
  readonly #reads = new PendingReads<T>();
  #opening: Promise<SourceIterator<T>> | undefined;
  #link: Registration | undefined;
  #ended = false;
  #failure: { readonly error: Error } | undefined;
  #settleEnd: (end: SourceEnd) => void = () => undefined;
  #owed: OwedAnswers | undefined;
  /** Resolves when the source has ended, unwound or been given up; never rejects. */
  readonly closed: Promise<SourceEnd>;

  constructor(options: CutOptions<T>) {
    const { scope, discard } = options;
    this.#options = options;
    this.#idle = scope.countsIdleness ? scope : undefined;
    this.#hold = { scope, weak: new WeakRef(this), discard, strong: undefined, source: undefined };
    this.closed = new Promise((resolve) => {
      this.#settleEnd = resolve;
    });
  }

  /** The next item. Reads may overlap; they settle in order as far as the source answers in order. */
  next(): Promise<Result<T>> {
    const { source } = this.#hold;
    if (source === undefined || this.#ended || !this.#reads.isEmpty) {
      return this.#nextSlowly();
    }
    // What one item costs: no closure, no `async` function.
    const promise = openRead<T>();
    this.#reads.first = openedRead<T>();
    this.#work();
    try {
      toPromise(source.next()).then(this.#takeFirst, this.#fail);
    } catch (error) {
      this.#fail(error);
    }
    return promise;
  }

  /** Before the source is there, after the end, and while another read is pending. */
  #nextSlowly(): Promise<Result<T>> {
    this.start();
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    if (this.#ended) return Promise.resolve(finished);
    const promise = openRead<T>();
    const read = openedRead<T>();
    this.#reads.add(read);
    this.#work();
    this.#ask().then((result) => {
      this.#take(read, result);
    }, this.#fail);
    return promise;
  }

  /** Leaves the stream early: closes the source, waits for it within the grace, and ends. */
  async return(): Promise<Result<T>> {
    if (!this.#ended) {
      this.#end();
      await this.#close(this.#settleReads());
    }
    return finished;
  }

  /** Listens to the token, if that has not happened, so that a cancel closes the source although nobody reads yet. */
  listen(): void {
    if (this.#ended || this.#link !== undefined) return;
    const hold = this.#hold;
    const link = CutStream.#listen(hold);
    if (this.#isEnded()) return; // cancelled before it began: the source is not opened
    this.#link = link;
    lost.register(this, hold, hold);
  }

  /** Listens, and opens the source, if that has not happened; the first read does it too. */
  start(): void {
    this.listen();
    if (this.#ended || this.#opening !== undefined) return;
    const { open, scope } = this.#options;
    // A limit that has passed cuts it here, by the listener.
    if (scope.isTooLate) return;
    // There before `open` is called: a cut inside it waits for what that brings.
    let settle: (opened: Promise<SourceIterator<T>>) => void = () => undefined;
    this.#opening = new Promise((resolve) => {
      settle = resolve;
    });
    const opened = new Promise<SourceIterator<T>>((resolve) => {
      resolve(open()); // in here, what it throws fails the read and not the caller of next()
    });
    settle(opened);
  }

  /** Static, because closures made in one place share all they close over: the token must not come to hold more (C4). */
  static #listen<T>(hold: Hold<T>): Registration {
    return hold.scope.token.onCancelled(() => {
      const stream = hold.strong ?? hold.weak.deref();
      if (stream !== undefined) stream.#cut();
    });
  }

  async #ask(): Promise<IteratorResult<T, unknown>> {
    const source = (this.#hold.source ??= await this.#opening);
    if (source === undefined || this.#ended) return finished;
    return source.next();
  }

  readonly #takeFirst = (result: IteratorResult<T, unknown>): void => {
    const { first: read, others } = this.#reads;
    // C2: the stream ended before the source answered
    if (read === undefined) {
      this.#owed?.came();
      return;
    }
    if (!this.#isItem(result) || others !== undefined || this.#options.onItem !== undefined) {
      if (!this.#ended) this.#take(read, result);
      return;
    }
    this.#reads.first = undefined;
    this.#rest();
    read.resolve(result);
  };

  /** Whether a result holds an item and is not the last. With one that cannot be read the stream has failed. */
  #isItem(result: IteratorResult<T, unknown>): result is IteratorYieldResult<T> {
    try {
      return result.done !== true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  #take(read: Read<T>, result: IteratorResult<T, unknown>): void {
    // C2 likewise
    if (!this.#reads.has(read)) {
      this.#owed?.came();
      return;
    }
    const { scope, onItem } = this.#options;
    if (!this.#isItem(result)) {
      if (this.#ended) return;
      this.#end();
      this.#settleReads(...this.#failureAtEnd());
      scope.release();
      this.#settleEnd({ status: 'completed' });
      return;
    }
    if (onItem !== undefined) {
      try {
        onItem(result.value);
      } catch (error) {
        this.#end();
        this.#settleReads(error);
        void this.#close(0);
        return;
      }
      if (!this.#reads.has(read)) return; // `onItem` is a caller's code: it may have cancelled
    }
    this.#reads.delete(read);
    if (this.#reads.isEmpty) this.#rest();
    else this.#idle?.arm();
    read.resolve(result);
  }

  #failureAtEnd(): [error?: unknown] {
    try {
      this.#options.onEnd?.();
      return [];
    } catch (error) {
      return [error];
    }
  }

  /** A source that threw has ended; its connection may not have, so its signal is the last thing it hears (C3). */
  readonly #fail = (error: unknown): void => {
    if (this.#ended) {
      this.#owed?.failed(error);
      return;
    }
    const { scope } = this.#options;
    this.#end();
    this.#settleReads(error);
    scope.cancel('The stream failed');
    scope.release();
    this.#settleEnd({ status: 'failed', error });
  };

  #cut(): void {
    if (this.#ended) return;
    const error = this.#options.scope.failure();
    this.#failure = { error };
    this.#end();
    this.#options.onCut?.(error);
    const reads = this.#reads.takeAll();
    for (const read of reads) read.reject(error);
    void this.#close(reads.length);
  }

  #isEnded(): boolean {
    return this.#ended;
  }

  #end(): void {
    this.#ended = true;
    this.#link?.unregister();
    lost.unregister(this.#hold);
    this.#rest();
  }

  /** Somebody waits: the token holds the stream (C4), and idleness counts. */
  #work(): void {
    this.#hold.strong = this;
    this.#idle?.arm();
  }

  #rest(): void {
    this.#hold.strong = undefined;
    this.#idle?.disarm();
  }

  /** As a generator does it: the first read gets the error, if there is one, and the others the end. */
  #settleReads(...errors: [error?: unknown]): number {
    const reads = this.#reads.takeAll();
    for (const [at, read] of reads.entries()) {
      if (at < errors.length) read.reject(errors[at]);
      else read.resolve(finished);
    }
    return reads.length;
  }

  /**
   * Closes the source and waits for it no longer than the grace; never rejects. A source at rest unwinds in order
   * before its signal tears the connection down; one that is waiting for its own source can hear only the signal.
   */
  async #close(pending: number): Promise<void> {
    const { scope, graceMs } = this.#options;
    const { source } = this.#hold;
    if (pending > 0 && source !== undefined && source.return === undefined) this.#owed = new OwedAnswers(pending);
    if (pending > 0) scope.cancel('The reader left the stream');
    const closing = this.#owed?.all ?? closeHeld(this.#hold, this.#opening);
    const end = await awaitUnwind(closing, graceMs, scope.clock, scope.token);
    scope.cancel('The reader left the stream');
    scope.release();
    this.#settleEnd(end);
  }
}
