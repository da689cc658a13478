/**
 * A model's stream of a loop that a framework owns, as a call of a turn: the reader sees one stream, whatever messages
 * cut it, and a stop ends it at once with an error and not with its end.
 * In the adapters' inner room beside `turn-call.ts`, whose rounds it reads.
 *
 * Invariants: after a stop every read rejects with the turn's error, and nothing that was still in line is given out;
 * the model call ends with the stream, whichever of the two is left first; nothing rejects unheard.
 *
 * @module
 */
import type { Turn } from '../../core/interrupt/handles.ts';
import type { CancellationTokenSource, Registration } from '../../core/token/handles.ts';
import { callUnderTurn, type ModelCallOptions, type Round } from './turn-call.ts';

/** What a stream is made of. */
export interface TurnStreamParts<E> {
  /** Opens the stream of one round. */
  readonly open: (round: Round) => AsyncIterable<E> | PromiseLike<AsyncIterable<E>>;
  /** Called with each event; returns what has come so far in this round. */
  readonly fold: (event: E) => unknown;
  /** Closes what a cut left open, so that the next round's events can follow. */
  readonly onCut: () => readonly E[];
  /** The framework's own signal. */
  readonly signal: AbortSignal | undefined;
}

interface Read<E> {
  readonly resolve: (result: IteratorResult<E, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

type End = { readonly status: 'ended' } | { readonly status: 'failed'; readonly error: unknown };

const finished = { done: true, value: undefined } as const;

/** One stream, started when it is made, because a framework reads its head before its events. */
export class TurnStream<E> implements AsyncIterableIterator<E, undefined> {
  readonly #parts: TurnStreamParts<E>;
  readonly #events: E[] = [];
  readonly #reads: Read<E>[] = [];
  readonly #stop: Registration | undefined;
  #round: CancellationTokenSource | undefined;
  #end: End | undefined;

  constructor(turn: Turn, parts: TurnStreamParts<E>, options: ModelCallOptions) {
    this.#parts = parts;
    callUnderTurn(turn, parts.signal, (round) => this.#read(round), options).then(
      () => {
        this.#finish({ status: 'ended' });
      },
      (error: unknown) => {
        this.#finish({ status: 'failed', error });
      },
    );
    // A source that is deaf does not keep the reader waiting; the turn's ledger waits for it, within its grace.
    this.#stop = turn.token.onCancelled(() => {
      this.#finish({ status: 'failed', error: turn.signal.reason });
    });
  }

  next(): Promise<IteratorResult<E, undefined>> {
    return new Promise((resolve, reject) => {
      this.#reads.push({ resolve, reject });
      this.#settle();
    });
  }

  /** The reader leaves: the model call is cut, and nothing more comes. */
  return(): Promise<IteratorResult<E, undefined>> {
    this.#finish({ status: 'ended' }, true);
    return Promise.resolve(finished);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #read(round: Round): Promise<void> {
    const { open, fold, onCut } = this.#parts;
    const own = round.token.child();
    this.#round = own;
    if (this.#end !== undefined) own.cancel({ message: 'The reader left the stream' });
    try {
      if (round.cut !== undefined) for (const event of onCut()) this.#give(event);
      for await (const event of await open({ ...round, token: own.token, signal: own.signal })) {
        round.partial(fold(event));
        // What a source sends after it was told to stop belongs to nobody.
        if (own.isCancelled) return;
        this.#give(event);
      }
    } finally {
      own.release();
    }
  }

  #give(event: E): void {
    if (this.#end !== undefined) return;
    this.#events.push(event);
    this.#settle();
  }

  #finish(end: End, isLeft = false): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#stop?.unregister();
    if (end.status === 'failed' || isLeft) this.#events.length = 0;
    if (isLeft) this.#round?.cancel({ message: 'The reader left the stream' });
    this.#settle();
  }

  #settle(): void {
    for (let read = this.#reads[0]; read !== undefined; read = this.#reads[0]) {
      if (this.#events.length > 0) read.resolve({ done: false, value: this.#events.shift() as E });
      else if (this.#end?.status === 'ended') read.resolve(finished);
      else if (this.#end?.status === 'failed') read.reject(this.#end.error);
      else return;
      this.#reads.shift();
    }
  }
}
