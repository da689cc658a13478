/**
 * Tools that give their result piece by piece, as async generators: one call, from the first piece to the last.
 *
 * @module
 */
import { raceCancellation } from '../core/combinators/race.ts';
import { CancellationTokenSource } from '../core/token/cancellation-token-source.ts';
import type { CancellationToken } from '../core/token/cancellation-token.ts';
import { callGuarded, type GuardedCall } from './guarded-call.ts';

/** A call that has begun, as the reader of its pieces sees it. */
interface Begun {
  readonly source: AsyncIterator<unknown>;
  readonly token: CancellationToken | undefined;
  /** Tells what it has produced so far. */
  readonly keep: (value: unknown) => void;
  /** Ends it; what comes second is nothing to it. */
  readonly end: (value: unknown) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * The pieces of a guarded call. Its result is what the generator returns, or else the last piece. It starts with the first
 * `next()`, as a generator does; a source that is stuck is left behind like any deaf tool. Once the call is over nothing of
 * its source is given on: words that stand for its outcome are the last piece.
 */
export async function* streamGuarded(call: GuardedCall): AsyncGenerator<unknown, unknown, undefined> {
  const over = new CancellationTokenSource();
  const isOver = (): boolean => over.isCancelled;
  const told: string[] = [];
  const calls: Begun[] = [];
  const onTold = (words: string): void => {
    told.push(words);
    call.options.onTold?.(words);
  };
  const outcome = callGuarded({
    ...call,
    options: { ...call.options, onTold },
    run: (args, keep, token) =>
      new Promise((end, fail) => {
        const source = (call.run(args, keep) as AsyncIterable<unknown>)[Symbol.asyncIterator]();
        calls.push({ source, token, keep, end, fail });
      }),
  }).finally(() => {
    over.cancel();
  });
  // The reader may leave before.
  outcome.catch(() => undefined);
  const [begun] = calls;
  let last: unknown;
  try {
    while (begun !== undefined && !isOver()) {
      const piece = await raceCancellation(over.token, begun.source.next()).catch((error: unknown) => {
        // The call knows whose stop it was.
        if (!isOver()) begun.fail(error);
      });
      if (piece === undefined || isOver()) break;
      if (piece.done === true) {
        begun.end(piece.value ?? last);
        await outcome;
        if (told.length === 0) return piece.value as unknown;
        break;
      }
      last = piece.value;
      begun.keep(last);
      yield last;
    }
    const value = await outcome;
    if (told.length > 0) yield value;
    return value;
  } finally {
    // The reader has left, or the call is over: both are the end of the source, which may be stuck. A reader that leaves
    // because of a stop has not heard the rest.
    if (begun?.token?.isCancelled === true) begun.fail(begun.token.signal.reason);
    else begun?.end(last);
    void Promise.resolve(begun?.source.return?.()).catch(() => undefined);
  }
}
