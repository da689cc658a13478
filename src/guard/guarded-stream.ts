/**
 * Tools that give their result piece by piece, as async generators: one call, from the first piece to the last.
 *
 * @module
 */
import type { CancellationToken } from '../core/token/cancellation-token.ts';
import { callGuarded, type GuardedCall } from './guarded-call.ts';

/** How a call ended. */
interface Ended {
  /** @throws What it rejected with. */
  readonly value: () => unknown;
}

/**
 * The pieces of a guarded call. Its result is what the generator returns, or else the last piece. It starts with the first `next()`, as a generator does; a source that is stuck is left
 * behind like any deaf tool. Once the call is over nothing of its source is given on: words that stand for its outcome are
 * the last piece.
 */
export async function* streamGuarded(call: GuardedCall): AsyncGenerator<unknown, unknown, undefined> {
  const opened: AsyncIterator<unknown>[] = [];
  let end: (value?: unknown) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  let keep: (value: unknown) => void = () => undefined;
  let token: CancellationToken | undefined;
  const told: string[] = [];
  const over: Ended[] = [];
  const isOver = (): boolean => over.length > 0;
  let wake: () => void = () => undefined;
  const ending = (value: () => unknown): void => {
    over.push({ value });
    wake();
  };
  const onTold = (words: string): void => {
    told.push(words);
    call.options.onTold?.(words);
  };
  // One reaction for the whole stream: a reaction per piece would be kept to its end.
  const ended = callGuarded({
    ...call,
    options: { ...call.options, onTold },
    run(args, keepPartial, own) {
      token = own;
      opened.push((call.run(args, keepPartial) as AsyncIterable<unknown>)[Symbol.asyncIterator]());
      keep = keepPartial;
      return new Promise((resolve, reject) => {
        end = resolve;
        fail = reject;
      });
    },
  }).then(
    (value) => {
      ending(() => value);
    },
    (error: unknown) => {
      ending(() => {
        throw error;
      });
    },
  );
  const [source] = opened;
  let last: unknown;
  try {
    while (source !== undefined && !isOver()) {
      const piece = await new Promise<IteratorResult<unknown> | undefined>((resolve) => {
        wake = () => {
          resolve(undefined);
        };
        source.next().then(resolve, (error: unknown) => {
          // The call knows whose stop it was; its word comes by `wake`.
          fail(error);
        });
      });
      if (piece === undefined || isOver()) break;
      if (piece.done === true) {
        end(piece.value ?? last);
        await ended;
        over[0]?.value();
        if (told.length === 0) return piece.value as unknown;
        break;
      }
      last = piece.value;
      keep(last);
      yield last;
    }
    await ended;
    const value = over[0]?.value();
    if (told.length > 0) yield value;
    return value;
  } finally {
    // The reader has left, or the call is over: both are the end of the source, which may be stuck. A reader that leaves
    // because of a stop has not heard the rest.
    if (token?.isCancelled === true) fail(token.signal.reason);
    else end(last);
    void Promise.resolve(source?.return?.()).catch(() => undefined);
  }
}
