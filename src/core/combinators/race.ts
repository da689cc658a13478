/**
 * A promise or a token, whichever comes first.
 * On storey 1b: the smallest wait, for a promise that somebody else has already started.
 * Prior art: race-signal; Go's `select` on `ctx.Done()`.
 *
 * @module
 */
import { isThenable, requireFunction } from '../foundation/check.ts';
import type { CancelReason } from '../foundation/reason.ts';
import { callSafely } from '../token/environment.ts';
import type { Registration, TokenLike } from '../token/handles.ts';
import { tokenOf } from '../token/link.ts';
import { listenWith } from '../token/listener.ts';
import { errorOf } from '../token/pull.ts';
import type { Token } from '../token/source.ts';
import type { LateOutcome } from './settle.ts';

/**
 * Options of {@link raceCancellation}.
 *
 * @since 0.1.0
 */
export interface RaceCancellationOptions<T = unknown> {
  /** Told what the promise did after the token had won. */
  readonly onLateSettle?: ((outcome: LateOutcome<T>) => void) | undefined;
}

/** One wait: an object with methods instead of closures, for there is one per tool call. */
class Race<T> {
  readonly #token: Token;
  readonly #resolve: (value: T) => void;
  readonly #reject: (error: unknown) => void;
  readonly #onLateSettle: ((outcome: LateOutcome<T>) => void) | undefined;
  #registration: Registration | undefined;
  #settled = false;
  #lost = false;

  constructor(
    token: Token,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
    onLateSettle: ((outcome: LateOutcome<T>) => void) | undefined,
  ) {
    this.#token = token;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#onLateSettle = onLateSettle;
  }

  start(promise: PromiseLike<T>): void {
    // First the promise: if both are settled already, its reaction is queued before the token's.
    promise.then(
      (value) => {
        if (this.#lost) this.#late({ status: 'completed', value });
        else {
          this.#end();
          this.#resolve(value);
        }
      },
      (error: unknown) => {
        if (this.#lost) this.#late({ status: 'failed', error });
        else {
          this.#end();
          this.#reject(error);
        }
      },
    );
    // A thenable may have answered already, before there was anything to unregister.
    if (!this.#settled) this.#registration = listenWith(this.#token, onCancelled, this as Race<unknown>);
  }

  #end(): void {
    this.#settled = true;
    this.#registration?.unregister();
  }

  /** One microtask later, so that a promise that settled in the tick of the cancel is heard first. */
  cancelled(): void {
    void Promise.resolve().then(() => {
      this.#lost = true;
      this.#reject(errorOf(this.#token));
    });
  }

  #late(outcome: LateOutcome<T>): void {
    callSafely(this.#token, this.#onLateSettle, outcome);
  }
}

function onCancelled(_reason: CancelReason, race: Race<unknown>): void {
  race.cancelled();
}

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
 * @throws TypeError – as a rejection: not a token.
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
    const work: PromiseLike<T> = isThenable(promise) ? promise : Promise.resolve(promise);
    try {
      const onLateSettle = options?.onLateSettle;
      if (onLateSettle !== undefined) requireFunction('onLateSettle', onLateSettle);
      new Race<T>(tokenOf(token), resolve, reject, onLateSettle).start(work);
    } catch (error) {
      // The promise was handed to us: its rejection is ours to observe, also when we cannot use it.
      work.then(undefined, () => undefined);
      throw error;
    }
  });
}
