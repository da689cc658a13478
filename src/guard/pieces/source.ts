/**
 * The source of a call that gives its result piece by piece. To read it is the work of the call.
 *
 * Invariants: the call ends when its source has unwound or ended, or its reader has left, and not before; a source that was told to
 * stop is closed where it next stands at a `yield`, and a stream at once.
 *
 * @module
 */
import type { CancellationToken } from '../../core/token/cancellation-token.ts';
import { errorIn } from './error-results.ts';
import type { Given, PieceReader } from './given.ts';

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
  #pieces: PieceReader | undefined;
  #settle: ((how: () => unknown) => void) | undefined;
  #last: unknown;
  /** How many are waiting for a piece. */
  #asking = 0;
  #isCut = false;

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
      if (failure === undefined) this.#endLeft();
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
    this.#end(() => {
      // A reader that leaves because of a stop has not heard the rest.
      if (this.#token?.isCancelled === true) throw this.#token.signal.reason;
      return this.#last;
    });
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
    if (by === 'stop' && cut !== undefined) this.#cut(cut);
    else if (this.#pieces !== undefined) this.step('return', undefined, by).catch(() => undefined);
    // What nobody has begun to read has nothing to unwind.
    else if (cut === undefined) this.#endLeft();
    else if (isTaken?.() !== true) this.#cut(cut);
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
