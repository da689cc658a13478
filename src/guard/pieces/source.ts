/**
 * The source of a call that gives its result piece by piece. To read it is the work of the call.
 *
 * Invariants: the call ends when its source has unwound or ended, or its reader has left, and not before; a source that was told to
 * stop is closed where it next stands at a `yield`, and a stream at once.
 *
 * @module
 */
import type { CancellationToken } from '../../core/token/cancellation-token.ts';
import { CancellationTokenSource } from '../../core/token/cancellation-token-source.ts';
import { errorIn } from './error-results.ts';
import { isTagged, type Given, type PieceReader } from './given.ts';

/** What a reader has asked for. */
export type Piece = IteratorResult<unknown, unknown>;

/** What a reader asks for, with a value. */
export type Asked = 'next' | 'return' | 'throw';

/** Who closes a source: its reader, who may leave it where it then stands, or a stop, which waits until it has unwound. */
type Closing = 'reader' | 'stop';

/** The pieces of a call that has begun. */
export class Source {
  readonly #given: Given;
  readonly #token: CancellationToken | undefined;
  readonly #keep: (value: unknown) => void;
  readonly #over = new CancellationTokenSource();
  #pieces: PieceReader | undefined;
  #settle: ((how: () => unknown) => void) | undefined;
  #last: unknown;
  /** How many are waiting for a piece. */
  #asking = 0;
  #isCut = false;
  /** Whether its reader has said that it wants no more. */
  #isLeft = false;
  /** Whether its end is not its own any more: a stop has closed it. */
  #isClosing = false;

  constructor(given: Given, keep: (value: unknown) => void, token: CancellationToken | undefined) {
    this.#given = given;
    this.#keep = keep;
    this.#token = token;
  }

  /** Settles when the source is over or was left, with what it returned or else with its last piece. */
  async run(): Promise<unknown> {
    const settled = new Promise<() => unknown>((resolve) => {
      this.#settle = resolve;
    });
    const registration = this.#token?.onCancelled(() => {
      this.close('stop');
    });
    const unwatch = this.#given.watch?.((failure) => {
      // Who waits for a piece hears of it, and says so.
      if (this.#asking > 0 || this.#isCut) return;
      if (failure === undefined || this.#isLeft) this.#endLeft();
      else this.#fail(failure);
    });
    try {
      return (await settled)();
    } finally {
      registration?.unregister();
      unwatch?.();
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

  /** However it ends now, its reader wanted it. */
  leave(): void {
    this.#isLeft = true;
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

  #fail(error: unknown): void {
    this.#end(() => {
      throw error;
    });
  }

  #endLeft(): void {
    const isStopped = this.#token?.isCancelled === true;
    this.#end(() => {
      // A reader that leaves because of a stop has not heard the rest.
      if (isStopped) throw this.#token.signal.reason;
      return this.#last;
    });
    if (isStopped) this.#over.cancel();
  }

  /** One step of it: what comes of it is known to the call, also when no reader waits any more. */
  async step(asked: Asked, value: unknown, closing: Closing = 'reader'): Promise<Piece> {
    this.#asking += 1;
    try {
      this.#pieces ??= this.#given.open();
      const piece = await askOf(this.#pieces, asked, value);
      if (piece.done !== true && !this.isSettled) this.#keep((this.#last = piece.value));
      // What was cut has an end that says nothing.
      if (this.#isCut) return piece;
      if (asked === 'return' && (piece.done === true || closing === 'reader')) this.#endLeft();
      else if (this.#isClosing) this.#endWaited();
      else if (piece.done === true) this.#endWith(piece.value);
      return piece;
    } catch (error) {
      if (!this.#isCut) this.#fail(error);
      throw error;
    } finally {
      this.#asking -= 1;
    }
  }

  close(by: Closing): void {
    const { cut, isTaken } = this.#given;
    const pieces = this.#pieces;
    if (by === 'stop' && cut !== undefined) this.#cut(cut);
    else if (pieces !== undefined) {
      // A generator answers one after the other. What is written by hand may end the reads that wait, because it was told to.
      this.#isClosing = by === 'stop' && !isTagged(pieces, 'AsyncGenerator');
      if (this.#isClosing) this.#over.cancel();
      if (!this.#isClosing || !this.#isDeaf(pieces)) this.step('return', undefined, by).catch(() => undefined);
    }
    // What nobody has begun to read has nothing to unwind.
    else if (cut === undefined) this.#endLeft();
    else if (isTaken?.() !== true) this.#cut(cut);
  }

  /** Whether only the end of what it does now tells that it is over. */
  #isDeaf(pieces: PieceReader): boolean {
    return pieces.return === undefined && this.#asking > 0;
  }

  #endWaited(): void {
    if (this.#pieces?.return === undefined && this.#asking === 1) this.#endLeft();
  }

  #cut(cut: NonNullable<Given['cut']>): void {
    this.#isCut = true;
    cut(this.#token?.isCancelled === true ? this.#token.signal.reason : undefined).then(
      () => {
        this.#endLeft();
      },
      (error: unknown) => {
        this.#fail(error);
      },
    );
  }
}

/** Asks an iterator, which need not have a way to leave it. */
export async function askOf(pieces: PieceReader, asked: Asked, value: unknown): Promise<Piece> {
  if (asked === 'next') return await pieces.next(value);
  if (pieces[asked] !== undefined) return await pieces[asked](value);
  if (asked === 'throw') throw value;
  return { done: true, value };
}
