/**
 * Tools that give their result piece by piece, as async generators: one call, from the first piece to the last.
 *
 * Invariants: the call ends when its generator has unwound, and not before, whoever still reads it; a generator that was told
 * to stop is closed where it next stands at a `yield`.
 *
 * @module
 */
import { raceCancellation } from '../core/combinators/race.ts';
import { CancellationTokenSource } from '../core/token/cancellation-token-source.ts';
import type { CancellationToken } from '../core/token/cancellation-token.ts';
import { callGuarded, type GuardedCall } from './guarded-call.ts';

type Pieces = AsyncGenerator<unknown, unknown, unknown>;
type Piece = IteratorResult<unknown, unknown>;

/** The generator of a call that has begun. It is the work of the call. */
class Source {
  readonly pieces: Pieces;
  readonly #token: CancellationToken | undefined;
  readonly #keep: (value: unknown) => void;
  #end: (value: unknown) => void = () => undefined;
  #fail: (error: unknown) => void = () => undefined;
  #last: unknown;

  constructor(pieces: Pieces, keep: (value: unknown) => void, token: CancellationToken | undefined) {
    this.pieces = pieces;
    this.#keep = keep;
    this.#token = token;
  }

  /** Settles when the generator has unwound, with what it returns or else with its last piece. */
  async run(): Promise<unknown> {
    const registration = this.#token?.onCancelled(() => {
      this.close();
    });
    try {
      return await new Promise((end, fail) => {
        this.#end = end;
        this.#fail = fail;
      });
    } finally {
      registration?.unregister();
    }
  }

  /** One step of it: what comes of it is known to the call, also when no reader waits any more. */
  async step(made: Promise<Piece>, isLeaving = false): Promise<Piece> {
    try {
      const piece = await made;
      if (piece.done !== true) this.#keep((this.#last = piece.value));
      else if (!isLeaving) this.#end(piece.value ?? this.#last);
      // A reader that leaves because of a stop has not heard the rest.
      else if (this.#token?.isCancelled === true) this.#fail(this.#token.signal.reason);
      else this.#end(this.#last);
      return piece;
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  leave(value?: unknown): Promise<Piece> {
    return this.step(this.pieces.return(value), true);
  }

  close(): void {
    this.leave().catch(() => undefined);
  }
}

/** Closes the source of a generator that nobody can read any more. What it is told of must not lead back to the generator. */
const forgotten = /* @__PURE__ */ new FinalizationRegistry<readonly Source[]>((begun) => {
  for (const source of begun) source.close();
});

/**
 * The pieces of a guarded call, to its reader what the generator itself is. It starts with the first `next()`, as a
 * generator does; a source that is stuck is left behind like any deaf tool. Once the call is over nothing more of its source
 * is given on: words that stand for its outcome are the last piece.
 */
export function streamGuarded(call: GuardedCall): Pieces {
  const begun: Source[] = [];
  const pieces = piecesOf(call, begun);
  forgotten.register(pieces, begun);
  return pieces;
}

/** @param begun Is given the source, once there is one. */
async function* piecesOf(call: GuardedCall, begun: Source[]): Pieces {
  const over = new CancellationTokenSource();
  const told: string[] = [];
  const onTold = (words: string): void => {
    told.push(words);
    call.options.onTold?.(words);
  };
  const outcome = callGuarded({
    ...call,
    options: { ...call.options, onTold },
    run: (args, keep, token) => {
      const source = new Source(call.run(args, keep) as Pieces, keep, token);
      begun.push(source);
      return source.run();
    },
  }).finally(() => {
    over.cancel();
  });
  // The reader may leave before.
  outcome.catch(() => undefined);
  const [source] = begun;

  const read = async (step: (pieces: Pieces) => Promise<Piece>): Promise<Piece> => {
    // What it throws the call knows too, and whose stop it was.
    const reading = source && raceCancellation(over.token, source.step(step(source.pieces))).catch(() => undefined);
    const piece = await reading;
    if (piece !== undefined && piece.done !== true) return piece;
    const value = await outcome;
    if (told.pop() !== undefined) return { done: false, value };
    return piece ?? { done: true, value };
  };
  return yield* {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: (value: unknown) => read((pieces) => pieces.next(value)),
    throw: (error: unknown) => read((pieces) => pieces.throw(error)),
    return: async (value: unknown): Promise<Piece> => {
      const left: Piece = { done: true, value };
      // It hears of what its leaving has led to, and of nothing else.
      return raceCancellation(over.token, source?.leave(value) ?? left).catch((error: unknown) => {
        if (over.isCancelled) return left;
        throw error;
      });
    },
  };
}
