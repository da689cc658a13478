/**
 * Tools that give their result piece by piece: one call, from the first piece to the last.
 *
 * Invariant: until the call is over its reader sees what it would see without the guard.
 *
 * @module
 */
import { raceCancellation } from '../../core/combinators/race.ts';
import { isThenable } from '../../core/foundation/check.ts';
import { errorIn } from './error-results.ts';
import { callGuarded, type GuardedCall } from '../guarded-call.ts';
import { givenOf, isNodeStream, isRead, isTagged, isWebStream, type PieceReader } from './given.ts';
import { askOf, Source, type Asked, type Piece } from './source.ts';
import { webStreamOf } from './web-stream.ts';
import { methodsOf, replaceMethods, type Around, type Method } from '../shapes.ts';

type Pieces = AsyncGenerator<unknown, unknown, unknown>;
type Ask = (asked: Asked, value: unknown) => Promise<Piece>;

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
  const { over } = source;
  const end = (): void => {
    source.callEnded();
  };
  // The reader may leave before.
  outcome.then(end, end);
  const closed = nothing();
  let isEnded = false;
  const pieces = generatorOf(async (asked, value) => {
    // What is over is asked for nothing more.
    const made = over.isCancelled ? askOf(closed, asked, value) : source.step(asked, value);
    // What it throws the call knows too, and whose stop it was.
    const piece = await raceCancellation(over, made).catch(() => undefined);
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

/**
 * The same to its reader, and a call to whoever reads it. One that can be read several times is so without the call; of one whose
 * end only its reader knows, the call ends where it is used in another way.
 */
function readThrough(given: AsyncIterable<unknown>, source: Source, pieces: Pieces): AsyncIterable<unknown> {
  if (isTagged(given, 'AsyncGenerator')) return pieces;
  if (isWebStream(given)) return webStreamOf(given, pieces);
  let isTaken = false;
  const open: Around = (again, args, self) => {
    if (isTaken && !('next' in given)) return Reflect.apply(again, self, args);
    isTaken = true;
    return pieces;
  };
  const use: Around = (method, args, self) => {
    source.handOver(given);
    return Reflect.apply(method, self, args);
  };
  const leave: Around = (destroy, args, self) => {
    source.leave();
    return Reflect.apply(destroy, self, args);
  };
  const others = isNodeStream(given)
    ? { destroy: leave }
    : Object.fromEntries(methodsOf(given).map((name) => [name, use]));
  const read = replaceMethods(given, {
    ...others,
    [Symbol.asyncIterator]: open,
    next: (_own, [value]) => pieces.next(value),
    return: (_own, [value]) => pieces.return(value),
    throw: (_own, [error]) => pieces.throw(error),
  });
  return read ?? pieces;
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
      const source = new Source(givenOf(given), keep, token);
      begun.push([given, source]);
      return source.run();
    },
  });
  const [first] = begun;
  return first === undefined ? outcome : readThrough(...first, piecesOf(first[1], { outcome, told }));
}

/** Makes the call of a function, at once or, as an async generator does, with the first `next()`. */
export function startGuarded(call: GuardedCall, fn: Method): Promise<unknown> | AsyncIterable<unknown> {
  if (!isTagged(fn, 'AsyncGeneratorFunction')) return start(call);
  let pieces: PieceReader | undefined;
  const begin = (): PieceReader => {
    const started = start(call);
    return isThenable(started) ? wordsOf(started) : started[Symbol.asyncIterator]();
  };
  return generatorOf((asked, value) => {
    pieces ??= asked === 'next' ? begin() : nothing();
    return askOf(pieces, asked, value);
  });
}
