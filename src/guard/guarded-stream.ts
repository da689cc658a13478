/**
 * Tools that give their result piece by piece: one call, from the first piece to the last.
 *
 * Invariants: the call ends when its source has unwound or its reader has left, and not before; a source that was told to stop
 * is closed where it next stands at a `yield`; until the call is over its reader sees what it would see without the guard.
 *
 * @module
 */
import { raceCancellation } from '../core/combinators/race.ts';
import { isObject, isThenable } from '../core/foundation/check.ts';
import { CancellationTokenSource } from '../core/token/cancellation-token-source.ts';
import type { CancellationToken } from '../core/token/cancellation-token.ts';
import { errorIn } from './error-results.ts';
import { callGuarded, type GuardedCall } from './guarded-call.ts';
import { replaceMethods, type Method } from './shapes.ts';

type Pieces = AsyncGenerator<unknown, unknown, unknown>;
type Piece = IteratorResult<unknown, unknown>;
type Iterator = AsyncIterator<unknown, unknown, unknown>;

/** What a reader asks for, with a value. */
type Asked = 'next' | 'return' | 'throw';
type Ask = (asked: Asked, value: unknown) => Promise<Piece>;

/** Who closes a source: its reader, who may leave it where it then stands, or a stop, which waits until it has unwound. */
type Closing = 'reader' | 'stop';

/** The pieces of a call that has begun. To read them is the work of the call. */
class Source {
  readonly #given: AsyncIterable<unknown, unknown, unknown>;
  readonly #token: CancellationToken | undefined;
  readonly #keep: (value: unknown) => void;
  #pieces: Iterator | undefined;
  #settle: ((how: () => unknown) => void) | undefined;
  #last: unknown;

  constructor(
    given: AsyncIterable<unknown, unknown, unknown>,
    keep: (value: unknown) => void,
    token: CancellationToken | undefined,
  ) {
    this.#given = given;
    this.#keep = keep;
    this.#token = token;
  }

  /** Settles when the source has unwound or was left, with what it returned or else with its last piece. */
  async run(): Promise<unknown> {
    const settled = new Promise<() => unknown>((resolve) => {
      this.#settle = resolve;
    });
    const registration = this.#token?.onCancelled(() => {
      this.close('stop');
    });
    try {
      return (await settled)();
    } finally {
      registration?.unregister();
    }
  }

  /** Whether it has said how the call ends. */
  get isSettled(): boolean {
    return this.#settle === undefined;
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
    this.#end(() => {
      // A reader that leaves because of a stop has not heard the rest.
      if (this.#token?.isCancelled === true) throw this.#token.signal.reason;
      return this.#last;
    });
  }

  /** One step of it: what comes of it is known to the call, also when no reader waits any more. */
  async step(asked: Asked, value: unknown, closing: Closing = 'reader'): Promise<Piece> {
    try {
      this.#pieces ??= this.#given[Symbol.asyncIterator]();
      const piece = await askOf(this.#pieces, asked, value);
      if (piece.done !== true && !this.isSettled) this.#keep((this.#last = piece.value));
      if (asked === 'return' && (piece.done === true || closing === 'reader')) this.#endLeft();
      else if (piece.done === true) this.#endWith(piece.value);
      return piece;
    } catch (error) {
      this.#end(() => {
        throw error;
      });
      throw error;
    }
  }

  /** What nobody has begun to read has nothing to unwind. */
  close(by: Closing): void {
    if (this.#pieces === undefined) this.#endLeft();
    else this.step('return', undefined, by).catch(() => undefined);
  }
}

/** Asks an iterator, which need not have a way to leave it. */
async function askOf(pieces: Iterator, asked: Asked, value: unknown): Promise<Piece> {
  if (asked === 'next') return await pieces.next(value);
  if (pieces[asked] !== undefined) return await pieces[asked](value);
  if (asked === 'throw') throw value;
  return { done: true, value };
}

/** A generator that passes on what its reader asks for. */
function generatorOf(ask: Ask): Pieces {
  const methodOf = (asked: Asked): PropertyDescriptor => ({ value: (value: unknown) => ask(asked, value) });
  return Object.create(anyGenerator, {
    next: methodOf('next'),
    return: methodOf('return'),
    throw: methodOf('throw'),
  }) as Pieces;
}

async function* nothing(): AsyncGenerator<never, undefined> {
  // Nobody reads anything of it.
}

/** The last piece of a call that did not start, if it has one: words that stand for its outcome. */
async function* wordsOf(outcome: PromiseLike<unknown>): AsyncGenerator<unknown, undefined> {
  yield await outcome;
}

/** What every async generator is: it can be iterated, disposed of, and told from other things. */
const anyGenerator = /* @__PURE__ */ Object.getPrototypeOf(nothing.prototype) as object;

/** Closes the source of what nobody can read any more. What it is told of must not lead back to the reader. */
const forgotten = /* @__PURE__ */ new FinalizationRegistry<Source>((source) => {
  source.close('reader');
});

/** How a call with pieces ends: its outcome, and whether words stand for that. */
interface Ending {
  readonly outcome: Promise<unknown>;
  readonly told: string[];
}

/** The pieces of a guarded call. Once it was ended by something else than its source nothing more of that is given on. */
function piecesOf(source: Source, { outcome, told }: Ending): Pieces {
  const over = new CancellationTokenSource();
  const end = (): void => {
    if (!source.isSettled) over.cancel();
  };
  // The reader may leave before.
  outcome.then(end, end);
  const closed = nothing();
  let isEnded = false;
  const pieces = generatorOf(async (asked, value) => {
    const made = source.step(asked, value);
    // What it throws the call knows too, and whose stop it was.
    const piece = await raceCancellation(over.token, made).catch(() => undefined);
    if (piece !== undefined && piece.done !== true) return piece;
    const isFirst = !isEnded;
    isEnded = true;
    // Who leaves hears of what the leaving has led to, and of nothing else.
    if (isFirst && asked !== 'return') {
      const words = await outcome.catch((error: unknown) => {
        // The reader has a result that stands for it.
        if (errorIn(piece?.value) !== error || piece === undefined) throw error;
      });
      if (told.pop() !== undefined) return { done: false, value: words };
    }
    return over.isCancelled ? askOf(closed, asked, value) : made;
  });
  forgotten.register(pieces, source);
  return pieces;
}

/** The same object, and a call to whoever reads it. One that can be read several times is so without the call. */
function readThrough(given: AsyncIterable<unknown>, pieces: Pieces): AsyncIterable<unknown> {
  if (isTagged(given, 'AsyncGenerator')) return pieces;
  let isTaken = false;
  const open = (again: Method, args: readonly unknown[], self: unknown): unknown => {
    if (isTaken && !('next' in given)) return Reflect.apply(again, self, args);
    isTaken = true;
    return pieces;
  };
  const read = replaceMethods(given, {
    [Symbol.asyncIterator]: open,
    next: (_own, [value]) => pieces.next(value),
    return: (_own, [value]) => pieces.return(value),
    throw: (_own, [error]) => pieces.throw(error),
  });
  return read ?? pieces;
}

/** Whether it is read, and not waited for: what can be waited for is its value, as of a process that can be both. */
function isRead(value: unknown): value is AsyncIterable<unknown, unknown, unknown> {
  return isObject(value) && !isThenable(value) && isIterable(value);
}

function isIterable(value: object): value is AsyncIterable<unknown> {
  return typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function';
}

/** Whether a value is what the language calls so. */
function isTagged(value: object, name: string): boolean {
  return Object.prototype.toString.call(value) === `[object ${name}]`;
}

/**
 * Makes a call. What it gives is of the kind that the tool returns: its pieces, if it returns at once what is read by
 * `for await`, else a promise.
 */
function start(call: GuardedCall): Promise<unknown> | AsyncIterable<unknown> {
  const begun: (readonly [AsyncIterable<unknown>, Source])[] = [];
  const told: string[] = [];
  const onTold = (words: string): void => {
    told.push(words);
    call.options.onTold?.(words);
  };
  const outcome = callGuarded({
    ...call,
    options: { ...call.options, onTold },
    run: (args, keep, token) => {
      const given = call.run(args, keep, token);
      if (!isRead(given)) return given;
      const source = new Source(given, keep, token);
      begun.push([given, source]);
      return source.run();
    },
  });
  const [first] = begun;
  return first === undefined ? outcome : readThrough(first[0], piecesOf(first[1], { outcome, told }));
}

/** Makes the call of a function, at once or, as an async generator does, with the first `next()`. */
export function startGuarded(call: GuardedCall, fn: Method): Promise<unknown> | AsyncIterable<unknown> {
  if (!isTagged(fn, 'AsyncGeneratorFunction')) return start(call);
  let pieces: Iterator | undefined;
  const begin = (): Iterator => {
    const started = start(call);
    return isThenable(started) ? wordsOf(started) : started[Symbol.asyncIterator]();
  };
  return generatorOf((asked, value) => {
    pieces ??= asked === 'next' ? begin() : nothing();
    return askOf(pieces, asked, value);
  });
}
