/**
 * Runs one call under a token, as a promise or as data. Prior art: Trio's cancel scopes, tokio-util's
 * `run_until_cancelled`.
 *
 * @module
 */
import { noOptions, type OptionsOnly } from '../foundation/check.ts';
import type { Clock } from '../foundation/clock.ts';
import type { TokenLike } from '../token/cancellation-token.ts';
import { tokenOf } from '../token/bridge/linked-tokens.ts';
import { tellStopped } from '../token/tree/owner.ts';
import { errorFor } from './engine/limits.ts';
import { startWork, type CancellableWork } from './engine/start-work.ts';
import type { LateOutcome, Outcome } from './outcome.ts';
import type { SettlePolicy } from './engine/work.ts';

/**
 * Options of {@link withCancellation} and {@link runUntilCancelled}.
 *
 * @since 0.1.0
 */
export interface WithCancellationOptions<T = unknown> extends OptionsOnly {
  /** How long to wait for work that was told to stop; `wait`, up to the grace, by default. */
  readonly settle?: SettlePolicy | undefined;
  /**
   * Milliseconds that clean-up may take after the stop; it costs time only with deaf work. Kept to the letter if you say
   * it. The default, 1,000, does not run out while work inside is in a grace of its own, nor for half of it afterwards.
   */
  readonly graceMs?: number | undefined;
  /** Milliseconds for the whole call; not for reading a body that the call has returned. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds without `progress()`. */
  readonly idleMs?: number | undefined;
  /** Names the work: in reports, by default, with the function's own name; in reasons only if you say it. */
  readonly name?: string | undefined;
  /** Told what work that was left behind did in the end. */
  readonly onLateSettle?: ((outcome: LateOutcome<T>) => void) | undefined;
  /** Whether an error is how a client says that it was aborted, where nothing in the error shows it. */
  readonly isStop?: ((error: unknown) => boolean) | undefined;
  /** Measures the limits; by default the token's clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Runs work that a token can stop, under a fresh child of the token that is released when the work ends: an SDK that
 * never removes its listeners leaks nothing, and one signal per call is all it ever sees.
 *
 * A cancel is not the end of the work: it is told to stop and has the grace to do so; if it does not, it is *abandoned*
 * – the promise rejects, the error's `abandoned` names it, and its late result goes to `onLateSettle`.
 *
 * If the result is a `Response`, a stream or an async iterable, or holds streams as what `streamText` returns does, the
 * child stays linked until that is collected, so that a stop still reaches the body.
 *
 * @checkpoint always, before; the work is not called if the token is cancelled
 * @fairness A result beats a cancel of the same tick, and a value returned after the cancel is a value: what was
 * finished is never reported as cancelled. A failure that raced the cancel stays that failure.
 * @cleanup The child, its listeners and all timers are gone when the promise settles; with an abandoned work the child
 * stays until it ends, so that kill reaches it.
 * @param token Whose stop.
 * @param work Gets the child's token and signal.
 * @param options Limits in milliseconds, how to wait, a name.
 * @returns What the work returned.
 * @throws CancelledError – as a rejection: the token was cancelled.
 * @throws DeadlineExceededError – as a rejection: `timeoutMs` or `idleMs` of this call passed.
 * @throws TypeError, RangeError – as a rejection: arguments that make no sense.
 * @example
 * ```ts
 * import { CancellationTokenSource, withCancellation } from 'desist'
 *
 * const stop = new CancellationTokenSource()
 * const length = await withCancellation(stop.token, async ({ signal }) => {
 *   signal.throwIfAborted() // hand the signal to fetch or to an SDK
 *   return 'four'.length
 * })
 * length // => 4
 * ```
 * @source Trio `CancelScope`; tokio-util `run_until_cancelled`
 * @since 0.1.0
 */
export function withCancellation<T>(
  token: TokenLike | null | undefined,
  work: CancellableWork<T>,
  options: WithCancellationOptions<T> = noOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    startWork(tokenOf(token), work, options, (outcome, ended) => {
      if (outcome.status === 'completed') resolve(outcome.value);
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the work's own error, whatever it is
      else reject(errorFor(outcome, ended));
    });
  });
}

/**
 * The same as {@link withCancellation}, as data: nothing that happens to the work rejects.
 *
 * @checkpoint always, before
 * @fairness As `withCancellation`.
 * @cleanup As `withCancellation`.
 * @param token Whose stop.
 * @param work Gets the child's token and signal.
 * @param options Limits in milliseconds, how to wait, a name.
 * @returns The outcome; a limit of this call is `cancelled` with a reason of kind `deadline` or `idle`.
 * @throws TypeError, RangeError – as a rejection: arguments that make no sense.
 * @example
 * ```ts
 * import { CancellationToken, runUntilCancelled } from 'desist'
 *
 * const stopped = CancellationToken.alreadyCancelled('user')
 * const outcome = await runUntilCancelled(stopped, () => 'never called')
 * outcome.status // => 'cancelled'
 * ```
 * @source tokio-util `run_until_cancelled`
 * @since 0.1.0
 */
export function runUntilCancelled<T>(
  token: TokenLike | null | undefined,
  work: CancellableWork<T>,
  options: WithCancellationOptions<T> = noOptions,
): Promise<Outcome<T>> {
  return new Promise((resolve) => {
    const parent = tokenOf(token);
    startWork(parent, work, options, (outcome) => {
      // An answer like any other to a caller who does not look: what he makes of it did not run to its end.
      if (outcome.status === 'cancelled' && outcome.reason === parent.reason) tellStopped(parent, outcome);
      resolve(outcome);
    });
  });
}
