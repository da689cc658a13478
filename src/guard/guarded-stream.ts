/**
 * Tools that give their result piece by piece, as async generators: one call, from the first piece to the last.
 *
 * @module
 */
import type { CancellationToken } from '../core/token/cancellation-token.ts';
import { callGuarded, type GuardedCall } from './guarded-call.ts';

/**
 * The pieces of a guarded call. Its result is what the generator returns, or else the last piece. It starts with the first `next()`, as a generator does; a source that is stuck is left
 * behind like any deaf tool.
 */
export async function* streamGuarded(call: GuardedCall): AsyncGenerator<unknown, unknown, undefined> {
  const opened: AsyncIterator<unknown>[] = [];
  let end: (value?: unknown) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  let keep: (value: unknown) => void = () => undefined;
  let token: CancellationToken | undefined;
  const ended = callGuarded({
    ...call,
    run(args, keepPartial, own) {
      token = own;
      opened.push((call.run(args, keepPartial) as AsyncIterable<unknown>)[Symbol.asyncIterator]());
      keep = keepPartial;
      return new Promise((resolve, reject) => {
        end = resolve;
        fail = reject;
      });
    },
  });
  // One reaction for the whole stream: a reaction per piece would be kept to its end.
  let giveUp: (error: unknown) => void = () => undefined;
  ended.catch((error: unknown) => {
    giveUp(error);
  });
  const [source] = opened;
  let last: unknown;
  if (source === undefined) return await ended;
  try {
    for (;;) {
      const piece = await new Promise<IteratorResult<unknown>>((resolve, reject) => {
        giveUp = reject;
        source.next().then(resolve, (error: unknown) => {
          // The call knows whose stop it was; its word comes through `giveUp`.
          fail(error);
        });
      });
      if (piece.done === true) {
        const value: unknown = piece.value;
        end(value ?? last);
        await ended;
        return value;
      }
      last = piece.value;
      keep(last);
      yield piece.value;
    }
  } finally {
    // The reader has left, or the call is over: both are the end of the source, which may be stuck. A reader that leaves
    // because of a stop has not heard the rest.
    if (token?.isCancelled === true) fail(token.signal.reason);
    else end(last);
    void Promise.resolve(source.return?.()).catch(() => undefined);
  }
}
