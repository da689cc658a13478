/**
 * The same again, with pauses, unless somebody said stop. Prior art: p-retry, AWS' "exponential backoff and jitter".
 *
 * @module
 */
import {
  requireFunction,
  requireMs,
  requireOptions,
  type OptionNames,
  wrongType,
  type OptionsOnly,
} from '../foundation/check.ts';
import { classify } from '../foundation/classify/classify.ts';
import type { TokenLike } from '../token/cancellation-token.ts';
import { tokenOf } from '../token/bridge/linked-tokens.ts';
import type { CancelContext } from './engine/work-context.ts';
import { delay } from './delay.ts';
import { withCancellation } from './with-cancellation.ts';

/**
 * Options of {@link retry}.
 *
 * @since 0.1.0
 */
export interface RetryOptions extends OptionsOnly {
  /** How often the work may be started; 3 by default. */
  readonly attempts?: number | undefined;
  /**
   * Milliseconds between two attempts, fixed or by a function of the attempt that failed (from 1) and its error. By
   * default 100, 200, 400 … up to 30,000, each with up to half of it taken off at random.
   */
  readonly backoff?: number | ((attempt: number, error: unknown) => number) | undefined;
  /** Whether this failure is worth another attempt; by default each is. A cancel is never asked about. */
  readonly retryIf?: ((error: unknown, attempt: number) => boolean) | undefined;
}

/** Twice as long each time, up to 30 s, and up to half of it off at random, so that a crowd does not come back as one. */
export function defaultBackoff(attempt: number): number {
  const full = Math.min(30_000, 100 * 2 ** (attempt - 1));
  return full * (1 - Math.random() / 2);
}

const optionNames: OptionNames<RetryOptions> = { attempts: 1, backoff: 1, retryIf: 1 };

/**
 * Runs work until it succeeds. A cancel ends it at once, also in a pause, and is never retried; a limit inside the work
 * is.
 *
 * @checkpoint always, before each attempt and in each pause
 * @fairness As `withCancellation`.
 * @cleanup As `withCancellation`, for each attempt.
 * @param token Whose stop, and whose clock.
 * @param work Gets a child token of this attempt and its number, from 1.
 * @param options Attempts, pauses in milliseconds, which failures count.
 * @returns What the first successful attempt returned.
 * @throws CancelledError – as a rejection.
 * @throws TypeError, RangeError – as a rejection: arguments that make no sense.
 * @throws Error – as a rejection: the last attempt's own error, when none is left or `retryIf` said no.
 * @example
 * ```ts
 * import { CancellationToken, retry } from 'desist'
 *
 * const text = await retry(
 *   CancellationToken.none,
 *   (_context, attempt) => {
 *     if (attempt < 3) throw new Error('busy')
 *     return `attempt ${attempt}`
 *   },
 *   { backoff: 1 },
 * )
 * text // => 'attempt 3'
 * ```
 * @source p-retry
 * @since 0.1.0
 */
export async function retry<T>(
  token: TokenLike | null | undefined,
  work: (context: CancelContext, attempt: number) => T | PromiseLike<T>,
  options: RetryOptions = {},
): Promise<T> {
  const node = tokenOf(token);
  requireFunction('work', work);
  requireOptions(options, optionNames);
  const { attempts = 3, backoff = defaultBackoff, retryIf } = options;
  if (typeof attempts !== 'number') throw wrongType('attempts', 'a number', attempts);
  if (attempts !== Infinity && (!Number.isInteger(attempts) || attempts < 1)) {
    throw new RangeError(`attempts must be a whole number, 1 or more, got ${String(attempts)}`);
  }
  if (typeof backoff !== 'function') requireMs('backoff', backoff, 'finite');
  if (retryIf !== undefined) requireFunction('retryIf', retryIf);
  for (let attempt = 1; ; attempt++) {
    try {
      return await withCancellation(node, (context) => work(context, attempt), { name: work.name || 'retry' });
    } catch (error) {
      const stopped = node.isCancelled || classify(error, node).status === 'foreign-abort';
      if (stopped || attempt >= attempts) throw error;
      if (retryIf !== undefined) {
        // A promise would say yes to everything, and so would a forgotten return.
        const isWorthIt: unknown = retryIf(error, attempt);
        if (typeof isWorthIt !== 'boolean') throw wrongType('retryIf()', 'a boolean', isWorthIt);
        if (!isWorthIt) throw error;
      }
      const ms = typeof backoff === 'function' ? requireMs('backoff()', backoff(attempt, error), 'finite') : backoff;
      await delay(node, ms);
    }
  }
}
