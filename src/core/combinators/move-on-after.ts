/**
 * A limit that is not an error. Prior art: Trio's `move_on_after`.
 *
 * @module
 */
import { requireMs, requireOptions, type OptionsOnly, type OptionNames } from '../foundation/check.ts';
import type { TokenLike } from '../token/cancellation-token.ts';
import { tokenOf } from '../token/bridge/linked-tokens.ts';
import type { Outcome } from './outcome.ts';
import { endedByOwnLimit, errorFor } from './engine/limits.ts';
import { startWork, type CancellableWork } from './engine/start-work.ts';

/**
 * Options of {@link moveOnAfter}.
 *
 * @since 0.1.0
 */
export interface MoveOnAfterOptions extends OptionsOnly {
  /** Milliseconds that the work may take to end after the limit; as for `withCancellation`. */
  readonly graceMs?: number | undefined;
  /** Names the work in reports. */
  readonly name?: string | undefined;
}

const optionNames: OptionNames<MoveOnAfterOptions> = { graceMs: 1, name: 1 };

/**
 * Runs work for at most `ms` milliseconds and goes on either way.
 *
 * @checkpoint always, before
 * @fairness As `withCancellation`: a result beats the limit of the same tick.
 * @cleanup As `withCancellation`.
 * @param token Whose stop.
 * @param ms The limit in milliseconds; `Infinity` for none.
 * @param work Gets a child token and its signal.
 * @param options Grace in milliseconds, a name.
 * @returns `completed`, or `cancelled` / `abandoned` by this limit and no other.
 * @throws CancelledError – as a rejection: the token was cancelled, which is not this limit.
 * @throws TypeError, RangeError – as a rejection: arguments that make no sense.
 * @example
 * ```ts
 * import { CancellationToken, delay, moveOnAfter } from 'desist'
 *
 * const slow = await moveOnAfter(CancellationToken.none, 5, ({ token }) => delay(token, 60_000))
 * slow.status // => 'cancelled'
 * ```
 * @source Trio `move_on_after`
 * @since 0.1.0
 */
export function moveOnAfter<T>(
  token: TokenLike | null | undefined,
  ms: number,
  work: CancellableWork<T>,
  options: MoveOnAfterOptions = {},
): Promise<Outcome<T>> {
  return new Promise((resolve, reject) => {
    const timeoutMs = requireMs('ms', ms, 'infinity-allowed');
    requireOptions(options, optionNames);
    startWork(tokenOf(token), work, { graceMs: options.graceMs, name: options.name, timeoutMs }, (outcome, ended) => {
      if (outcome.status === 'completed' || (outcome.status !== 'failed' && endedByOwnLimit(ended.token)))
        resolve(outcome);
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the work's own error, whatever it is
      else reject(errorFor(outcome, ended));
    });
  });
}
