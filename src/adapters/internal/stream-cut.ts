/**
 * Reading a stream that somebody else produces so that a cancel cuts it: the pending read settles at once, the end of
 * the source is never taken for completion, and the source is closed without waiting for one that is stuck.
 * In the adapters' inner room: `llm` and `fetch` read through it, each in its own shape.
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
import type { Registration } from '../../core/token/handles.ts';
import type { CallScope } from './call-scope.ts';

/**
 * What became of the source once the reading had ended.
 *
 * `completed` it ended by itself · `failed` it threw, then or while it was closed · `cancelled` it was closed and has
 * unwound · `abandoned` it did not unwind within the grace: its `finally` blocks may never run.
 */
export type SourceEnd =
  { readonly status: 'completed' | 'cancelled' | 'abandoned' } | { readonly status: 'failed'; readonly error: unknown };

/** What a cut stream reads from: anything with `next()`, or a promise of it. */
export type SourceIterator<T> = Pick<AsyncIterator<T, unknown>, 'next' | 'return'>;

/** How to read. */
export interface CutOptions<T> {
  /** Opens the source; called with the first read, and never if the token is cancelled by then. */
  readonly open: () => SourceIterator<T> | Promise<SourceIterator<T>>;
  /** The call's token and limits; belongs to the stream from here on. */
  readonly scope: CallScope;
  /** Milliseconds that a closed source may take to unwind before it is called abandoned. */
  readonly graceMs: number;
  /** Called with each item, before its reader gets it. What it throws fails the stream. */
  readonly onItem?: ((item: T) => void) | undefined;
  /** Called once when a cancel cut the stream, before the pending reads reject. Must not throw. */
  readonly onCut?: ((error: Error) => void) | undefined;
}

interface Read<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

const finished = { done: true, value: undefined } as const;

/** What the token holds of a stream, and what is left of it when it was collected (C4). */
interface Hold<T> {
  readonly scope: CallScope;
  readonly weak: WeakRef<CutStream<T>>;
  /** The stream itself, while somebody reads. */
  strong: CutStream<T> | undefined;
  source: SourceIterator<T> | undefined;
}

const lost = new FinalizationRegistry<Pick<Hold<unknown>, 'scope' | 'source'>>(({ scope, source }) => {
  // Both words, as when a reader leaves: not every source listens to its signal for as long as it streams.
  void closeSource(source).catch(() => undefined);
  scope.cancel('The reader lost the stream');
  scope.release();
});

/** One stream, read once. */
export class CutStream<T> {
  readonly #options: CutOptions<T>;
  readonly #reads = new Set<Read<T>>();
  readonly #hold: Hold<T>;
  #opening: Promise<SourceIterator<T>> | undefined;
  #link: Registration | undefined;
  #ended = false;
  #failure: { readonly error: Error } | undefined;
  #settleEnd: (end: SourceEnd) => void = () => undefined;
  /** Resolves when the source has ended, unwound or been given up; never rejects. */
  readonly closed: Promise<SourceEnd>;

  constructor(options: CutOptions<T>) {
    this.#options = options;
    this.#hold = { scope: options.scope, weak: new WeakRef(this), strong: undefined, source: undefined };
    this.closed = new Promise((resolve) => {
      this.#settleEnd = resolve;
    });
  }

  /** The next item. Reads may overlap; they settle in order as far as the source answers in order. */
  next(): Promise<IteratorResult<T, undefined>> {
    this.start();
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    if (this.#ended) return Promise.resolve(finished);
    return new Promise((resolve, reject) => {
      const read: Read<T> = { resolve, reject };
      this.#reads.add(read);
      this.#hold.strong = this;
      this.#options.scope.arm();
      this.#ask().then(
        (result) => {
          this.#take(read, result);
        },
        (error: unknown) => {
          this.#fail(error);
        },
      );
    });
  }

  /** Leaves the stream early: closes the source, waits for it within the grace, and ends. */
  async return(): Promise<IteratorResult<T, undefined>> {
    if (!this.#ended) {
      const isAtRest = this.#reads.size === 0;
      this.#end();
      this.#settleReads();
      await this.#close(isAtRest);
    }
    return finished;
  }

  /** Opens the source and listens to the token, if that has not happened; the first read does it too. */
  start(): void {
    if (this.#ended || this.#opening !== undefined) return;
    const { open } = this.#options;
    const hold = this.#hold;
    const link = CutStream.#listen(hold);
    if (this.#isEnded()) return; // cancelled before it began: the source is not opened
    this.#link = link;
    lost.register(this, hold, hold);
    // In a promise of its own, so that an `open` that throws fails the read and not the caller of next().
    this.#opening = new Promise((resolve) => {
      resolve(open());
    });
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

  #take(read: Read<T>, result: IteratorResult<T, unknown>): void {
    if (!this.#reads.has(read)) return; // C2: the stream ended before the source answered
    const { scope, onItem } = this.#options;
    if (result.done === true) {
      this.#end();
      this.#settleReads();
      scope.release();
      this.#settleEnd({ status: 'completed' });
      return;
    }
    try {
      onItem?.(result.value);
    } catch (error) {
      this.#end();
      this.#settleReads(error);
      void this.#close(true);
      return;
    }
    if (!this.#reads.delete(read)) return; // `onItem` is a caller's code: it may have cancelled
    if (this.#reads.size > 0) scope.arm();
    else this.#rest();
    read.resolve({ done: false, value: result.value });
  }

  /** A source that threw has ended; its connection may not have, so its signal is the last thing it hears (C3). */
  #fail(error: unknown): void {
    if (this.#ended) return;
    const { scope } = this.#options;
    this.#end();
    this.#settleReads(error);
    scope.cancel('The stream failed');
    scope.release();
    this.#settleEnd({ status: 'failed', error });
  }

  #cut(): void {
    if (this.#ended) return;
    const error = this.#options.scope.failure();
    this.#failure = { error };
    this.#end();
    this.#options.onCut?.(error);
    for (const read of this.#reads) read.reject(error);
    this.#reads.clear();
    void this.#close(false);
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

  #rest(): void {
    this.#hold.strong = undefined;
    this.#options.scope.disarm();
  }

  /** As a generator does it: the first read gets the error, if there is one, and the others the end. */
  #settleReads(...errors: [error?: unknown]): void {
    const [first] = this.#reads;
    if (errors.length > 0) first?.reject(errors[0]);
    for (const read of this.#reads) read.resolve(finished);
    this.#reads.clear();
  }

  /**
   * Closes the source and waits for it no longer than the grace; never rejects. A source at rest unwinds in order
   * before its signal tears the connection down; one that is waiting for its own source can hear only the signal.
   */
  async #close(isAtRest: boolean): Promise<void> {
    const { scope } = this.#options;
    if (!isAtRest) scope.cancel('The reader left the stream');
    const end = await this.#unwind();
    scope.cancel('The reader left the stream');
    scope.release();
    this.#settleEnd(end);
  }

  #unwind(): Promise<SourceEnd> {
    const opening = this.#opening;
    if (opening === undefined) return Promise.resolve({ status: 'cancelled' });
    const { scope, graceMs } = this.#options;
    return new Promise((resolve) => {
      const giveUp = (): void => {
        resolve({ status: 'abandoned' });
      };
      const grace = scope.clock.setTimer(giveUp, graceMs, { ref: false });
      const settle = (end: SourceEnd): void => {
        grace.release();
        resolve(end);
      };
      closeSource(this.#hold.source ?? opening).then(
        () => {
          settle({ status: 'cancelled' });
        },
        (error: unknown) => {
          settle({ status: 'failed', error });
        },
      );
    });
  }
}

async function closeSource(
  source: SourceIterator<unknown> | Promise<SourceIterator<unknown>> | undefined,
): Promise<void> {
  const opened = source !== undefined && 'then' in source ? await source : source;
  await opened?.return?.();
}
