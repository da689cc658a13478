/**
 * A model's stream of a loop that a framework owns, as a call of a turn: the reader sees one stream, whatever
 * messages cut it, and a stop ends it at once with an error and not with its end.
 *
 * Invariants: after a stop every read rejects with the turn's error, and nothing that was still in line is given out;
 * the source is read no further ahead than one event while the reader takes them, so that a stop finds the call still
 * open; of what is held back nothing is given out of a call that was cut; a reader that takes nothing for a second is not waited for, because it may never come back; the model call
 * ends with the stream, whichever of the two is left first; nothing rejects unheard.
 *
 * @module
 */
import {
  clockOf,
  tokenOf,
  type CancellationTokenSource,
  type Registration,
  type Releasable,
  type Turn,
} from '../../../core/inside.ts';
import { callUnderTurn, type CallEnds, type ModelCallOptions, type Round } from './turn-call.ts';

/** What a stream is made of. */
export interface TurnStreamParts<E> {
  /** Opens the stream of one round. */
  readonly open: (round: Round) => AsyncIterable<E> | PromiseLike<AsyncIterable<E>>;
  /** Called with each event; returns what has come so far in this round. */
  readonly fold: (event: E) => unknown;
  /** Closes what a cut left open, so that the events of the next round can follow, or the end. */
  readonly onCut: () => readonly E[];
  /**
   * What ends the stream after a cut, where what has been given out of the round is acted on already: another round would
   * not know of it. `undefined` where another round may follow.
   */
  readonly endOfCut?: (() => readonly E[] | undefined) | undefined;
  /** The framework's own signal. */
  readonly signal: AbortSignal | undefined;
  /** Called when the source has ended by itself; returns what of it a person may have read, if nothing follows it. */
  readonly onEnd?: (() => unknown) | undefined;
  /** Whether an event, and what follows it in its round, is given out only once the call has ended whole. */
  readonly isHeld?: ((event: E) => boolean) | undefined;
  /** As for a call that answers whole. */
  readonly record?: CallEnds<void>['record'];
  /** Whether what has been given out of this round cannot be followed by another round. */
  readonly isFinal?: (() => boolean) | undefined;
}

interface Read<E> {
  readonly resolve: (result: IteratorResult<E, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

type End = { readonly status: 'ended' } | { readonly status: 'failed'; readonly error: unknown };

/** Milliseconds without a read after which the rest of a stream is heard out without its reader. */
const PATIENCE_MS = 1000;

const finished = { done: true, value: undefined } as const;

/** One stream, started when it is made, because a framework reads its head before its events. */
export class TurnStream<E> implements AsyncIterableIterator<E, undefined> {
  readonly #parts: TurnStreamParts<E>;
  readonly #turn: Turn;
  readonly #idleMs: number;
  #events: E[] = [];
  #held: E[] = [];
  readonly #reads = new Set<Read<E>>();
  readonly #stop: Registration | undefined;
  /** Wakes the source once the reader has taken what there is. */
  #taken: (() => void) | undefined;
  #round: CancellationTokenSource | undefined;
  #end: End | undefined;

  constructor(turn: Turn, parts: TurnStreamParts<E>, options: ModelCallOptions) {
    this.#parts = parts;
    this.#turn = turn;
    this.#idleMs = options.idleMs ?? Infinity;
    callUnderTurn(turn, parts.signal, (round) => this.#read(round), options, {
      wordsOf: () => parts.onEnd?.(),
      isFinal: parts.isFinal,
      record: parts.record,
      cutAnswer: () => this.#endCut(),
    }).then(
      () => {
        for (const event of this.#held) this.#give(event);
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
      this.#reads.add({ resolve, reject });
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
    const { open, fold, onCut, isHeld } = this.#parts;
    const own = round.token.child();
    const held: E[] = [];
    const isFirst = this.#round === undefined;
    this.#round = own;
    this.#held = held;
    if (this.#end !== undefined) own.cancel({ message: 'The reader left the stream' });
    try {
      if (!isFirst) for (const event of onCut()) this.#give(event);
      for await (const event of await open({ ...round, token: own.token, signal: own.signal })) {
        // What a source sends after it was told to stop belongs to nobody.
        if (own.isCancelled) return;
        round.partial(fold(event));
        round.count(event);
        if (held.length > 0 || isHeld?.(event) === true) {
          held.push(event);
          continue;
        }
        this.#give(event);
        await this.#whenTaken(round);
        if (own.token.isCancelled) return;
      }
    } finally {
      own.release();
    }
  }

  /** A message cut the round: whether the stream ends with what has come of it. */
  #endCut(): { readonly value: undefined } | undefined {
    const end = this.#parts.endOfCut?.();
    if (end === undefined) return undefined;
    for (const event of this.#parts.onCut()) this.#give(event);
    // Its own end, if that had come.
    if (this.#held.length === 0) this.#held.push(...end);
    return { value: undefined };
  }

  /** Resolves once the reader has taken everything, or is not waited for any longer. */
  #whenTaken({ token, progress }: Round): Promise<void> | undefined {
    if (this.#events.length === 0 || this.#hasEnded() || token.isCancelled) return undefined;
    const clock = clockOf(tokenOf(this.#turn.token));
    const stepMs = Math.min(PATIENCE_MS, this.#idleMs / 2);
    return new Promise((resolve) => {
      let timer: Releasable | undefined;
      let waitedMs = 0;
      const settle = (): void => {
        this.#taken = undefined;
        timer?.release();
        stop.unregister();
        progress();
        resolve();
      };
      const wait = (): void => {
        timer = clock.setTimer(
          () => {
            waitedMs += stepMs;
            // The reader is slow, not the model.
            progress();
            if (waitedMs >= PATIENCE_MS) settle();
            else wait();
          },
          stepMs,
          { ref: false },
        );
      };
      const stop = token.onCancelled(settle);
      this.#taken = settle;
      wait();
    });
  }

  #hasEnded(): boolean {
    return this.#end !== undefined;
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
    if (end.status === 'failed' || isLeft) this.#events = [];
    if (isLeft) this.#round?.cancel({ message: 'The reader left the stream' });
    this.#settle();
    this.#taken?.();
  }

  #settle(): void {
    let given = 0;
    for (const read of this.#reads) {
      if (given < this.#events.length) read.resolve({ done: false, value: this.#events[given++] as E });
      else if (this.#end?.status === 'ended') read.resolve(finished);
      else if (this.#end?.status === 'failed') read.reject(this.#end.error);
      else break;
      this.#reads.delete(read);
    }
    if (given > 0) this.#events.splice(0, given);
    if (this.#events.length === 0) this.#taken?.();
  }
}
