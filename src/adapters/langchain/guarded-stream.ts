/**
 * The stream of a runnable that obeys Stop: a read that is pending settles at once, and the turn waits for the source
 * and names it, also where its reader left it with a `break`.
 *
 * Invariants: the source is opened with the first read, and never after a stop; a stream that nobody reads holds no turn;
 * leaving it takes no longer than the grace.
 *
 * Prior art: LangChain's `AsyncGeneratorWithSetup`, whose reads race the signal, and whose source goes on.
 *
 * @module
 */
import { DEFAULT_GRACE_MS, type CancellationToken, type Turn } from '../../core/inside.ts';
import { CallScope } from '../internal/call-scope.ts';
import type { SourceEnd, SourceIterator } from '../internal/stream/source-end.ts';
import { CutStream } from '../internal/stream/stream-cut.ts';
import { OpenWork } from './open-work.ts';

/** Whose stream it is. */
export interface StreamOwner {
  readonly turn: Omit<Turn, 'model'> | undefined;
  readonly token: CancellationToken;
  readonly name: string;
  readonly graceMs: number | undefined;
}

/** Opens the source under a signal; what it runs of a runnable it has of the work. */
export type OpenStream = (signal: AbortSignal, work: OpenWork) => AsyncIterable<unknown>;

type Result = IteratorResult<unknown, undefined>;

/** One stream, read once, as LangChain reads a generator. */
export class GuardedStream implements AsyncIterableIterator<unknown, undefined> {
  readonly #owner: StreamOwner;
  readonly #scope: CallScope;
  readonly #work: OpenWork;
  readonly #cut: CutStream<unknown>;
  #isOpen = false;
  #hasEnded = false;
  #last: Promise<unknown> | undefined;
  #sourceEnded: () => void = () => undefined;
  readonly #sourceEnd: Promise<void>;

  constructor(owner: StreamOwner, open: OpenStream) {
    const { token, graceMs = DEFAULT_GRACE_MS } = owner;
    this.#owner = owner;
    this.#scope = new CallScope([token], {});
    this.#work = new OpenWork(this.#scope.token);
    this.#sourceEnd = new Promise((resolve) => {
      this.#sourceEnded = resolve;
    });
    this.#cut = new CutStream({
      scope: this.#scope,
      graceMs,
      open: () => this.#open(open),
      onCut: () => {
        this.#name();
      },
    });
  }

  async next(): Promise<Result> {
    try {
      const result = await this.#cut.next();
      if (result.done === true) this.#hasEnded = true;
      return result;
    } catch (error) {
      this.#hasEnded = true;
      throw error;
    }
  }

  async return(): Promise<Result> {
    if (!this.#hasEnded) this.#name();
    return await this.#cut.return();
  }

  async throw(error: unknown): Promise<Result> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** It was cut or left: from here on the turn waits for the source. Before, it runs only while somebody reads. */
  #name(): void {
    const { turn, name, graceMs } = this.#owner;
    this.#hasEnded = true;
    if (turn === undefined || !this.#isOpen) return;
    // Without a grace of its own it has that of the turn, which then names it in later stops too, until it has ended.
    const end: Promise<SourceEnd> =
      graceMs === undefined ? this.#sourceEnd.then(() => ({ status: 'cancelled' })) : this.#cut.closed;
    void turn.track({ kind: 'runnable', name, outcomeOf: ({ status }) => status }, end);
  }

  #open(open: OpenStream): SourceIterator<unknown> {
    this.#isOpen = true;
    const chunks = open(this.#scope.signal, this.#work)[Symbol.asyncIterator]();
    return {
      next: () => {
        const last = chunks.next();
        this.#last = last;
        return last;
      },
      return: () => this.#close(chunks),
    };
  }

  /** LangChain's streams say that they are closed while their source still works: the last read tells. */
  async #close(chunks: AsyncIterator<unknown>): Promise<{ done: true; value: undefined }> {
    await Promise.allSettled([chunks.return?.(), this.#last]);
    await this.#work.ended();
    this.#sourceEnded();
    return { done: true, value: undefined };
  }
}
