/**
 * Tools that give their result piece by piece: one call, from the first piece to the last.
 *
 * Invariant: until the call is over its reader sees what it would see without the guard.
 *
 * @module
 */
import { raceCancellation } from '../../core/combinators/race.ts';
import { isThenable } from '../../core/foundation/check.ts';
import type { CancellationToken } from '../../core/token/cancellation-token.ts';
import { strandsUse } from '../arguments.ts';
import { callGuarded, type GuardedCall } from '../guarded-call.ts';
import { errorIn } from '../results/strands-results.ts';
import { isIterated, isNodeStream, isTagged, isWebStream, type Iterated, type PieceReader } from './kinds.ts';
import { lifeOf } from './node-stream.ts';
import { askOf, Source, type Asked, type Piece } from './source.ts';
import { frontOf } from './web-stream.ts';
import { isDisposer, membersOf, replaceMethods, type Around, type Method } from '../shapes.ts';

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
async function* wordsOf({ outcome, isReturned }: Pick<Ending, 'outcome' | 'isReturned'>): Pieces {
  const words = await outcome;
  if (isReturned) return words;
  yield words;
  return undefined;
}

/** What every async generator is: it can be iterated, disposed of, and told from other things. */
const anyGenerator = /* @__PURE__ */ Object.getPrototypeOf(nothing.prototype) as object;

/** How a call with pieces ends: its outcome, and whether words stand for that. */
interface Ending {
  readonly outcome: Promise<unknown>;
  readonly told: unknown[];
  /** Whether they are what its reader is returned, and no piece. */
  readonly isReturned: boolean;
}

/** The pieces of a guarded call. Once it was ended by something else than its source nothing more of that is given on. */
function piecesOf(source: Source, { outcome, told, isReturned }: Ending): Pieces {
  const { over } = source;
  const end = (): void => {
    source.callEnded();
  };
  outcome.then(end, end);
  const closed = nothing();
  let isEnded = false;
  let isLeft = false;
  return generatorOf(async (asked, value) => {
    isLeft ||= asked === 'return';
    // What is over is asked for nothing more.
    const made = over.isCancelled ? askOf(closed, asked, value) : source.step(asked, value);
    // What it throws the call knows too, and whose stop it was.
    const piece = await raceCancellation(over, made).catch(() => undefined);
    if (piece !== undefined && piece.done !== true) return piece;
    const isFirst = !isEnded;
    isEnded = true;
    // Who leaves hears of what the leaving has led to, and of nothing else.
    if (isFirst && asked !== 'return') {
      const result = await outcome.catch((error: unknown) => {
        // The reader has a result that stands for it.
        if (errorIn(piece?.value) !== error || piece === undefined) throw error;
        return piece.value;
      });
      if (told.pop() !== undefined) return { done: isReturned, value: result };
      // What came after the stop may say so; of what was left the call has its last piece.
      if (piece?.value !== undefined && !isLeft) return { done: true, value: result };
    }
    return over.isCancelled ? askOf(closed, asked, value) : made;
  });
}

/** Whether by this method a reader says that it wants no more, whether it has read or not. */
function isLeaving(name: PropertyKey): boolean {
  return isDisposer(name) || name === 'close' || name === 'destroy';
}

/**
 * The same to its reader, and a call to whoever reads it. One that can be read several times is so without the call; as only its
 * reader knows its end, the call ends where it is used in another way.
 */
function readThrough(given: Iterated, source: Source, pieces: Pieces): AsyncIterable<unknown> {
  if (isTagged(given, 'AsyncGenerator')) return pieces;
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
  const leave: Around = (method, args, self) => source.leaveBy(() => Reflect.apply(method, self, args), given);
  const aroundOf = (name: PropertyKey): Around => (isLeaving(name) ? leave : use);
  const members = membersOf(given);
  const methods = Reflect.ownKeys(members).filter((name) => typeof members[name]?.value === 'function');
  const read = replaceMethods(given, {
    ...Object.fromEntries(methods.map((name) => [name, aroundOf(name)])),
    [Symbol.asyncIterator]: open,
    next: (_own, [value]) => pieces.next(value),
    return: (_own, [value]) => pieces.return(value),
    throw: (_own, [error]) => pieces.throw(error),
  });
  return read ?? pieces;
}

/** What a tool has returned: how long that lasts, and what the caller is given at once if it is not waited for. */
interface Returned {
  readonly work: unknown;
  readonly given?: ((ending: Ending) => unknown) | undefined;
}

function returned(value: unknown, keep: (value: unknown) => void, token: CancellationToken | undefined): Returned {
  const isWeb = isWebStream(value);
  const isNode = isNodeStream(value);
  if (!isWeb && !isNode && !isIterated(value)) return { work: value };
  // What nothing can stop is what it is.
  if (token === undefined) return { work: undefined, given: () => value };
  if (isWeb) {
    const { stream, life } = frontOf(value, token);
    return { work: life, given: () => stream };
  }
  if (isNode) return { work: lifeOf(value, token), given: () => value };
  const source = new Source(value, keep, token);
  return { work: source.run(), given: (ending) => readThrough(value, source, piecesOf(source, ending)) };
}

function ignore(): void {
  // It is in the row, and whoever reads hears of it there.
}

/** A call that has returned nothing. Nobody may be able to wait for it: its caller knows a tool that is read. */
function unreturned(ending: Ending): Promise<unknown> {
  const { outcome } = ending;
  outcome.catch(ignore);
  return Object.defineProperty(outcome, Symbol.asyncIterator, { value: () => wordsOf(ending) });
}

/** Whether its reader takes what is returned for the result of the call, as Strands does. */
function isReturned({ args }: GuardedCall): boolean {
  return strandsUse(args[0]) !== undefined;
}

/** Makes a call. What it gives is of the kind that the tool returns: what is read or written, if it returns that at once, else a promise. */
function start(call: GuardedCall): unknown {
  let made: Returned | undefined;
  const told: unknown[] = [];
  const onTold = (result: unknown): void => {
    told.push(result);
    call.options.onTold?.(result);
  };
  const outcome = callGuarded({
    ...call,
    options: { ...call.options, onTold },
    run: (args, keep, token) => (made = returned(call.run(args, keep, token), keep, token)).work,
  });
  const { given } = made ?? { given: unreturned };
  if (given === undefined) return outcome;
  outcome.catch(ignore);
  return given({ outcome, told, isReturned: isReturned(call) });
}

/** Makes the call of a function, at once or, as an async generator does, with the first `next()`. */
export function startGuarded(call: GuardedCall, fn: Method): unknown {
  if (!isTagged(fn, 'AsyncGeneratorFunction')) return start(call);
  let pieces: PieceReader | undefined;
  const begin = (): PieceReader => {
    const started = start(call);
    return isThenable(started)
      ? wordsOf({ outcome: Promise.resolve(started), isReturned: isReturned(call) })
      : (started as Iterated)[Symbol.asyncIterator]();
  };
  return generatorOf((asked, value) => {
    pieces ??= asked === 'next' ? begin() : nothing();
    return askOf(pieces, asked, value);
  });
}
