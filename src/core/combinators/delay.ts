/**
 * Waiting that a token can end. Prior art: deno std `async/delay`, Go's `time.After` beside `ctx.Done()`.
 *
 * @module
 */
import { requireMs } from '../foundation/check.ts';
import { clockOf } from '../token/tree/environment.ts';
import type { TokenLike } from '../token/cancellation-token.ts';
import { cancelIfOverdue } from '../token/time/overdue.ts';
import { tokenOf } from '../token/bridge/linked-tokens.ts';
import { listenThrough } from '../token/tree/listeners.ts';
import type { Node } from '../token/tree/node.ts';
import { errorOf } from '../token/tree/state.ts';

/**
 * Waits, and rejects at once when the token is cancelled. Keeps the process alive while it waits.
 *
 * @checkpoint always
 * @fairness A cancel in the tick in which the time is up comes too late.
 * @cleanup Timer and registration are gone when the promise settles.
 * @param token Whose stop, and whose clock.
 * @param ms Milliseconds, 0 or more, finite; longer than 2³¹−1 is allowed.
 * @throws CancelledError – as a rejection, one microtask after the cancel.
 * @throws TypeError, RangeError – as a rejection: arguments that make no sense.
 * @example
 * ```ts
 * import { CancellationToken, delay } from 'desist'
 *
 * await delay(CancellationToken.none, 5)
 * const stopped = CancellationToken.alreadyCancelled('user')
 * await delay(stopped, 60_000).catch((error: Error) => error.name) // => 'AbortError'
 * ```
 * @source deno std `delay`
 * @since 0.1.0
 */
export function delay(token: TokenLike | null | undefined, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const node = tokenOf(token);
    requireMs('ms', ms, 'finite');
    cancelIfOverdue(node);
    node.throwIfCancelled();
    const cut = (_reason: unknown, _context: undefined, heard: Node): void => {
      timer.release();
      reject(errorOf(heard));
    };
    const registration = listenThrough(node, cut, undefined);
    const timer = clockOf(node).setTimer(
      () => {
        registration.unregister();
        resolve();
      },
      ms,
      { ref: true },
    );
  });
}
