/**
 * Work that a cancel from above does not reach, for a while. Prior art: Trio's shielded cancel scope with a deadline;
 * asyncio's `shield`, whose leak this has not.
 *
 * @module
 */
import { requireFunction, requireMs, requireOptions, type OptionNames } from '../foundation/check.ts';
import type { CancellationToken } from '../token/cancellation-token.ts';
import type { TokenLike } from '../token/cancellation-token.ts';
import { tokenOf } from '../token/bridge/linked-tokens.ts';
import { errorOf } from '../token/tree/state.ts';
import { runShielded } from './engine/shielded.ts';

/**
 * Options of {@link shield}.
 *
 * @since 0.1.0
 */
export interface ShieldOptions {
  /** Milliseconds the work may go on after the token is cancelled; counted from entry if it is cancelled already. */
  readonly graceMs: number;
}

const optionNames: OptionNames<ShieldOptions> = { graceMs: 1 };

/**
 * Runs work that the token's cancel does not reach, for a bounded time: the work's own token lives on for the grace and
 * is cancelled then. A kill reaches it at once.
 *
 * @checkpoint never: it also starts under a cancelled token, and its value is returned after a cancel
 * @fairness A result beats the end of the grace in the same turn of the event loop.
 * @cleanup Timer and registrations are gone when the promise settles; work that outlives its grace stays observed.
 * @param token Whose stop is kept out.
 * @param work Gets the shielded token.
 * @param options The grace, in milliseconds. There is no default: say how long a person has to wait.
 * @returns What the work returned.
 * @throws DeadlineExceededError – as a rejection: the grace ended first.
 * @throws CancelledError – as a rejection: it was killed.
 * @throws TypeError, RangeError – as a rejection: arguments that make no sense.
 * @example
 * ```ts
 * import { CancellationToken, shield } from 'desist'
 *
 * const stopped = CancellationToken.alreadyCancelled('user')
 * await shield(stopped, (token) => (token.isCancelled ? 'cut' : 'flushed'), { graceMs: 500 }) // => 'flushed'
 * ```
 * @source Trio `CancelScope(shield=True)`
 * @since 0.1.0
 */
export function shield<T>(
  token: TokenLike | null | undefined,
  work: (graceToken: CancellationToken) => T | PromiseLike<T>,
  options: ShieldOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const parent = tokenOf(token);
    requireFunction('work', work);
    const given = options as ShieldOptions | undefined;
    if (given !== undefined) requireOptions(given, optionNames);
    const graceMs = requireMs('graceMs', given?.graceMs, 'infinity-allowed');
    if (parent.isKilled) throw errorOf(parent);
    runShielded(parent, work, graceMs, (outcome, error) => {
      if (outcome.status === 'completed') resolve(outcome.value);
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the work's own error, whatever it is
      else reject(error);
    });
  });
}
