/**
 * The source of a call that gives its result piece by piece. To read it is the work of the call.
 *
 * Invariants: the call ends when its source has unwound or ended, or its reader has left, and not before; a source that was told to
 * stop is closed where it next stands at a `yield`.
 *
 * @module
 */
import type { CancellationToken } from '../../core/token/cancellation-token.ts';
import { CancellationTokenSource } from '../../core/token/cancellation-token-source.ts';
import { isThenable } from '../../core/foundation/check.ts';
import { errorIn } from '../results/strands-results.ts';
import { isTagged, type Iterated, type PieceReader } from './kinds.ts';

/** What a reader has asked for. */
export type Piece = IteratorResult<unknown, unknown>;

/** What a reader asks for, with a value. */
export type Asked = 'next' | 'return' | 'throw';

/** The pieces of a call that has begun. */
export class Source {
  readonly #given: Iterated;
  readonly #token: CancellationToken;
  readonly #keep: (value: unknown) => void;
  readonly #over = new CancellationTokenSource();
  #pieces: PieceReader | undefined;
  #settle: ((how: () => unknown) => void) | undefined;
  #last: unknown;
  /** How many are waiting for a piece. */
  #asking = 0;
  /** Whether its end is not its own any more: a stop has closed it. */
  #isClosing = false;

  constructor(given: Iterated, keep: (value: unknown) => void, token: CancellationToken) {
    this.#given = given;
    this.#keep = keep;
    this.#token = token;
  }

  /** Settles when the source is over or was left, with what it returned or else with its last piece. */
  async run(): Promise<unknown> {
    const settled = new Promise<() => unknown>((resolve) => {
      this.#settle = resolve;
    });
    const registration = this.#token.onCancelled(() => {
      this.#close();
    });
    try {
      return (await settled)();
    } finally {
      registration.unregister();
    }
  }

  /** Whether it has said how the call ends. */
  get isSettled(): boolean {
    return this.#settle === undefined;
  }

  /** Ends when nothing more of it is for its reader: it was stopped, or the call has ended without it. */
  get over(): CancellationToken {
    return this.#over.token;
  }

  /** The call has ended. What has an end of its own says it to its reader itself. */
  callEnded(): void {
    if (!this.isSettled) this.#over.cancel();
  }

  /**
   * Its reader leaves it by a method of its own.
   *
   * @param whole What the call comes to if nobody has read it.
   */
  leaveBy(method: () => unknown, whole: unknown): unknown {
    const end = (): void => {
      this.handOver(whole);
      this.#endLeft();
    };
    const fail = (error: unknown): void => {
      this.#end(() => {
        throw error;
      });
    };
    try {
      const left = method();
      if (isThenable(left)) Promise.resolve(left).then(end, fail);
      else end();
      return left;
    } catch (error) {
      fail(error);
      throw error;
    }
  }

  /** The call ends with a value, unless somebody reads it piece by piece. */
  handOver(value: unknown): void {
    if (this.#pieces === undefined) this.#end(() => value);
  }

  #end(how: () => unknown): void {
    this.#settle?.(how);
    this.#settle = undefined;
  }

  #endWith(value: unknown): void {
    const error = errorIn(value);
    this.#end(() => {
      if (error !== undefined) throw error;
      return value ?? this.#last;
    });
  }

  #endLeft(): void {
    const isStopped = this.#token.isCancelled;
    this.#end(() => {
      // A reader that leaves because of a stop has not heard the rest.
      if (isStopped) throw this.#token.signal.reason;
      return this.#last;
    });
    if (isStopped) this.#over.cancel();
  }

  /**
   * One step of it: what comes of it is known to the call, also when no reader waits any more. Its reader may leave it where it
   * then stands; a stop waits until it has unwound.
   */
  async step(asked: Asked, value: unknown, isStop = false): Promise<Piece> {
    this.#asking += 1;
    try {
      this.#pieces ??= this.#given[Symbol.asyncIterator]();
      const piece = await askOf(this.#pieces, asked, value);
      if (piece.done !== true && !this.isSettled) this.#keep((this.#last = piece.value));
      if (asked === 'return' && (piece.done === true || !isStop)) this.#endLeft();
      else if (this.#isClosing) this.#endWaited();
      else if (piece.done === true) this.#endWith(piece.value);
      return piece;
    } catch (error) {
      this.#end(() => {
        throw error;
      });
      throw error;
    } finally {
      this.#asking -= 1;
    }
  }

  #close(): void {
    const pieces = this.#pieces;
    // What nobody has begun to read has nothing to unwind.
    if (pieces === undefined) {
      this.#endLeft();
      return;
    }
    // A generator answers one after the other. What is written by hand may end the reads that wait, because it was told to.
    this.#isClosing = !isTagged(pieces, 'AsyncGenerator');
    if (this.#isClosing) this.#over.cancel();
    if (!this.#isClosing || !this.#isDeaf(pieces)) this.step('return', undefined, true).catch(() => undefined);
  }

  /** Whether only the end of what it does now tells that it is over. */
  #isDeaf(pieces: PieceReader): boolean {
    return pieces.return === undefined && this.#asking > 0;
  }

  #endWaited(): void {
    if (this.#pieces?.return === undefined && this.#asking === 1) this.#endLeft();
  }
}

/** Asks an iterator, which need not have a way to leave it. */
export async function askOf(pieces: PieceReader, asked: Asked, value: unknown): Promise<Piece> {
  if (asked === 'next') return await pieces.next(value);
  if (pieces[asked] !== undefined) return await pieces[asked](value);
  if (asked === 'throw') throw value;
  return { done: true, value };
}
