/**
 * Asking again and again until the answer is yes. Prior art: Testing Library's `waitFor`, Kubernetes'
 * `wait.PollUntilContextTimeout`.
 *
 * @module
 */
import { requireFunction, requireMs, requireOptions, type OptionNames, type OptionsOnly } from '../foundation/check.ts';
import type { CancellationToken } from '../token/cancellation-token.ts';
import type { TokenLike } from '../token/cancellation-token.ts';
import { delay } from './delay.ts';
import { raceCancellation } from './race.ts';
import { withCancellation } from './with-cancellation.ts';

/** What a probe may say for "not yet". */
export type NotYet = false | null | undefined | 0 | '';

/**
 * Options of {@link pollUntil}.
 *
 * @since 0.1.0
 */
export interface PollUntilOptions extends OptionsOnly {
  /** Milliseconds from one answer to the next question; 100 by default, ten checks a second. */
  readonly intervalMs?: number | undefined;
  /** Milliseconds for all of it. */
  readonly timeoutMs?: number | undefined;
}

const optionNames: OptionNames<PollUntilOptions> = { intervalMs: 1, timeoutMs: 1 };

/**
 * Asks at once and then at an interval, until the probe answers with something truthy.
 *
 * @checkpoint always, before each question and while it waits; a probe that hangs is not waited for
 * @fairness A truthy answer beats a cancel of the same tick.
 * @cleanup Timers and registrations are gone when the promise settles; a hanging probe's late answer is dropped.
 * @param token Whose stop, and whose clock.
 * @param probe Gets a child token; synchronous or not. What it throws ends the poll.
 * @param options Interval and limit in milliseconds.
 * @returns The first truthy answer.
 * @throws CancelledError – as a rejection.
 * @throws DeadlineExceededError – as a rejection: `timeoutMs` passed.
 * @throws TypeError, RangeError – as a rejection: arguments that make no sense.
 * @example
 * ```ts
 * import { CancellationToken, pollUntil } from 'desist'
 *
 * let asked = 0
 * await pollUntil(CancellationToken.none, () => ++asked >= 3 && 'ready', { intervalMs: 1 }) // => 'ready'
 * ```
 * @source Kubernetes `wait.PollUntilContextTimeout`
 * @since 0.1.0
 */
export async function pollUntil<T>(
  token: TokenLike | null | undefined,
  probe: (token: CancellationToken) => T | PromiseLike<T>,
  options: PollUntilOptions = {},
): Promise<Exclude<T, NotYet>> {
  requireFunction('probe', probe);
  requireOptions(options, optionNames);
  const intervalMs = requireMs('intervalMs', options.intervalMs ?? 100, 'finite');
  return withCancellation(
    token,
    async function poll(context): Promise<Exclude<T, NotYet>> {
      for (;;) {
        context.checkpoint();
        const answer = await raceCancellation(context.token, probe(context.token));
        // The caller's word for "not yet" is anything falsy.
        if (answer as unknown) return answer as Exclude<T, NotYet>;
        await delay(context.token, intervalMs);
      }
    },
    { timeoutMs: options.timeoutMs, name: 'pollUntil' },
  );
}
