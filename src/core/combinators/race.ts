/**
 * A promise or a token, whichever comes first. Prior art: race-signal; Go's `select` on `ctx.Done()`.
 *
 * @module
 */
import {
  isThenable,
  requireFunction,
  requireOptions,
  type OptionNames,
  show,
  type OptionsOnly,
} from '../foundation/check.ts';
import type { CancelReason } from '../foundation/reason.ts';
import { callSafely } from '../token/tree/environment.ts';
import type { Registration } from '../token/tree/listeners.ts';
import type { TokenLike } from '../token/cancellation-token.ts';
import { tokenOf } from '../token/bridge/linked-tokens.ts';
import { listenThrough } from '../token/tree/listeners.ts';
import type { Node } from '../token/tree/node.ts';
import { errorOf } from '../token/tree/state.ts';
import type { Token } from '../token/token.ts';
import type { LateOutcome } from './outcome.ts';

/**
 * Options of {@link raceCancellation}.
 *
 * @since 0.1.0
 */
export interface RaceCancellationOptions<T = unknown> extends OptionsOnly {
  /** Told what the promise did after the token had won. */
  readonly onLateSettle?: ((outcome: LateOutcome<T>) => void) | undefined;
}

/** A promise, of whatever realm, settles once and never with another promise; other thenables may do either. */
function isPromise(value: unknown): value is PromiseLike<never> {
  return value instanceof Promise || Object.prototype.toString.call(value) === '[object Promise]';
}

/** Something that can be waited for by one reaction; `then` is called at once and only once, for it may start the work. */
function promiseOf<T>(value: PromiseLike<T> | T): PromiseLike<T> {
  if (isPromise(value)) return value;
  if (!isThenable(value)) return Promise.resolve(value);
  return new Promise((resolve, reject) => {
    value.then(resolve, reject);
  });
}

/** What a wait without listeners of its own needs of a cancel: `reject`, and the node whose error it is. */
type Lose = (error: unknown) => void;

const soon = /* @__PURE__ */ Promise.resolve();

/** One microtask later, so that a promise that settled in the tick of the cancel is heard first. */
function loseSoon(_reason: CancelReason, lose: Lose, node: Node): void {
  void soon.then(() => {
    lose(errorOf(node));
  });
}

/** One wait per tool call: what it does not need is not in its closures. */
function race<T>(
  token: Token,
  promise: PromiseLike<T>,
  resolve: (value: T) => void,
  reject: (error: unknown) => void,
  lose: Lose,
): void {
  // Set by a reaction, which the compiler cannot see.
  let settled = false as boolean;
  let registration: Registration | undefined = undefined;
  // First the promise: if both are settled already, its reaction is queued before the token's.
  promise.then(
    (value) => {
      settled = true;
      registration?.unregister();
      resolve(value);
    },
    (error: unknown) => {
      settled = true;
      registration?.unregister();
      reject(error);
    },
  );
  // A thenable may have answered already, before there was anything to unregister.
  if (!settled) registration = listenThrough(token, loseSoon, lose);
}

/** The same, and somebody hears what the promise did after the token had won. */
function raceAndTell<T>(
  token: Token,
  promise: PromiseLike<T>,
  resolve: (value: T) => void,
  reject: Lose,
  onLateSettle: (outcome: LateOutcome<T>) => void,
): void {
  let lost = false;
  race(
    token,
    promise,
    (value) => {
      resolve(value);
      if (lost) callSafely(token, onLateSettle, { status: 'completed', value });
    },
    (error) => {
      reject(error);
      if (lost) callSafely(token, onLateSettle, { status: 'failed', error });
    },
    (error) => {
      lost = true;
      reject(error);
    },
  );
}

const optionNames: OptionNames<RaceCancellationOptions> = { onLateSettle: 1 };

/**
 * Waits for a promise, but not longer than the token lives. The promise's work is not stopped, only no longer waited
 * for: use {@link withCancellation} to stop it.
 *
 * @checkpoint always, while it waits
 * @fairness A promise that settled before the cancel, also in the same tick, beats the token: what was finished is never
 * reported as cancelled. Otherwise the token wins, two microtasks after the cancel.
 * @cleanup The registration is gone when the returned promise settles; the loser stays observed, its rejection is
 * never unhandled.
 * @param token Whose stop.
 * @param promise What to wait for; a plain value is returned.
 * @param options `onLateSettle` hears what the promise did after the token had won.
 * @returns The promise's value.
 * @throws CancelledError – as a rejection: the token won.
 * @throws TypeError – as a rejection: not a token; a function or a list of promises in the place of a promise.
 * @example
 * ```ts
 * import { CancellationTokenSource, raceCancellation } from 'desist'
 *
 * const stop = new CancellationTokenSource()
 * await raceCancellation(stop.token, Promise.resolve(7)) // => 7
 * ```
 * @source race-signal
 * @since 0.1.0
 */
export function raceCancellation<T>(
  token: TokenLike | null | undefined,
  promise: PromiseLike<T> | T,
  options?: RaceCancellationOptions<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    // Neither would ever run, or be waited for.
    if (typeof promise === 'function' && !isThenable(promise))
      throw new TypeError(
        `promise must be a promise, got ${show(promise)}: call it, or use withCancellation(token, work)`,
      );
    if (Array.isArray(promise) && promise.some(isThenable))
      throw new TypeError(`promise must be one promise, got ${show(promise)}: write Promise.all(…) or Promise.any(…)`);
    const work = promiseOf(promise);
    try {
      if (options !== undefined) requireOptions(options, optionNames);
      const onLateSettle = options?.onLateSettle;
      if (onLateSettle === undefined) race(tokenOf(token), work, resolve, reject, reject);
      else {
        requireFunction('onLateSettle', onLateSettle);
        raceAndTell(tokenOf(token), work, resolve, reject, onLateSettle);
      }
    } catch (error) {
      // The promise was handed to us: its rejection is ours to observe, also when we cannot use it.
      work.then(undefined, () => undefined);
      throw error;
    }
  });
}
