/**
 * Places that check: now, with a pause for the event loop, or around a function. Each compares the clock with the
 * deadline as well, because in a loop that never yields no timer can fire. Prior art: Trio's `checkpoint`, Kotlin's
 * `ensureActive` and `yield`.
 *
 * @module
 */
import {
  isThenable,
  requireFunction,
  requireMs,
  requireOptions,
  type OptionNames,
  type OptionsOnly,
} from '../foundation/check.ts';
import type { Clock } from '../foundation/clock.ts';
import { createCancelledError } from '../foundation/errors.ts';
import { clockOf } from '../token/tree/environment.ts';
import { cancelIfOverdue } from '../token/time/overdue.ts';
import type { TokenLike } from '../token/cancellation-token.ts';
import { tokenOf } from '../token/bridge/linked-tokens.ts';
import type { Token } from '../token/token.ts';

function check(token: Token): void {
  cancelIfOverdue(token);
  token.throwIfCancelled();
}

/**
 * Throws if it is time to stop.
 *
 * @checkpoint always
 * @fairness A cancel that was made counts before a deadline that has passed unnoticed.
 * @param token Whose stop; nothing stops `null` and `undefined`.
 * @throws CancelledError – the token is cancelled, or its deadline has passed.
 * @throws TypeError – not a token.
 * @example A loop that can be stopped
 * ```ts
 * import { CancellationTokenSource, checkpoint } from 'desist'
 *
 * const source = new CancellationTokenSource()
 * let lines = 0
 * try {
 *   for (;;) {
 *     checkpoint(source.token)
 *     if (++lines === 3) source.cancel('user')
 *   }
 * } catch {
 *   lines // => 3
 * }
 * ```
 * @source Trio `trio.lowlevel.checkpoint_if_cancelled`
 * @since 0.1.0
 */
export function checkpoint(token: TokenLike | null | undefined): void {
  check(tokenOf(token));
}

/** When each clock last let the event loop run, as far as we know. */
const lastYield = /* @__PURE__ */ new WeakMap<Clock, number>();

const yieldOptions: OptionNames<NonNullable<Parameters<typeof yieldCheckpoint>[1]>> = { everyMs: 1 };

/**
 * A checkpoint that also lets the event loop run if it has been kept waiting: for long synchronous loops, whose stop
 * would otherwise never be heard.
 *
 * @checkpoint always, before and after the pause
 * @param token Whose stop.
 * @param options `everyMs`: how long the event loop may be kept waiting, 8 ms by default (half a frame).
 * @returns Resolves at once if it is not time for a pause yet.
 * @throws CancelledError – as a rejection.
 * @throws TypeError, RangeError – a token or an interval that makes no sense, as a rejection.
 * @example
 * ```ts
 * import { CancellationTokenSource, yieldCheckpoint } from 'desist'
 *
 * const { token } = new CancellationTokenSource()
 * for (let row = 0; row < 1_000; row++) await yieldCheckpoint(token)
 * ```
 * @source Kotlin `yield`, WICG `scheduler.yield`
 * @since 0.1.0
 */
export async function yieldCheckpoint(
  token: TokenLike | null | undefined,
  options: { readonly everyMs?: number | undefined } & OptionsOnly = {},
): Promise<void> {
  const node = tokenOf(token);
  requireOptions(options, yieldOptions);
  const everyMs = requireMs('everyMs', options.everyMs ?? 8, 'finite');
  check(node);
  const clock = clockOf(node);
  const now = clock.now();
  const last = lastYield.get(clock);
  if (last === undefined) lastYield.set(clock, now);
  else if (now - last >= everyMs) {
    await new Promise<void>((resolve) => {
      clock.setTimer(resolve, 0, { ref: true });
    });
    lastYield.set(clock, clock.now());
    check(node);
  }
}

/**
 * The same function with a checkpoint before and one after, always both; the first one throws at the call, also for an
 * asynchronous function. What was finished when the stop is noticed only afterwards stands in the error's `completed`.
 *
 * @throws TypeError – not a token, or not a function.
 */
export function withCheckpoints<This, Args extends unknown[], R>(
  token: TokenLike | null | undefined,
  fn: (this: This, ...args: Args) => R,
): (this: This, ...args: Args) => R {
  const node = tokenOf(token);
  requireFunction('fn', fn);
  return function (this: This, ...args: Args): R {
    check(node);
    const result = fn.apply(this, args);
    if (isThenable(result)) {
      return Promise.resolve(result).then((value: unknown) => checkAfter(node, value)) as R;
    }
    return checkAfter(node, result);
  };
}

function checkAfter<T>(token: Token, value: T): T {
  cancelIfOverdue(token);
  const reason = token.reason;
  if (reason !== undefined) throw createCancelledError(reason, { completed: { value } });
  return value;
}
