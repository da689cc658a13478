/**
 * A promise with a way to undo it. Prior art: abort-controller-x `execute`, whose executor may neither abort, nor
 * return nothing, nor throw later.
 *
 * @module
 */
import { execute as executeUnder } from 'abort-controller-x';

import {
  type CancelContext,
  type CancelReason,
  isThenable,
  requireFunction,
  requireOptions,
  type TokenLike,
  type WithCancellationOptions,
  workOptions,
} from '../../core/inside.ts';
import { runUnder } from './relay.ts';

/**
 * What an `Executor` returns: called on a cancel, to undo what was begun. A promise is waited for, within the
 * grace; any other value is ignored.
 *
 * @since 0.1.0
 */
export type Undo = (reason: CancelReason) => unknown;

/**
 * What {@link execute} calls, as `new Promise` does; it may return how to undo what it began.
 *
 * @since 0.1.0
 */
export type Executor<T> = (
  resolve: (value: T | PromiseLike<T>) => void,
  reject: (error: unknown) => void,
  context: CancelContext,
  // eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- an executor may return nothing at all
) => Undo | undefined | void;

/** Runs the undo so that nothing it throws or returns reaches the abort that called it. */
function undone(undo: Undo | undefined, reason: CancelReason): PromiseLike<void> | undefined {
  try {
    const result = undo?.(reason);
    return isThenable(result) ? result.then(() => undefined) : undefined;
  } catch (error) {
    // A rejection, as from an undo that is asynchronous.
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the work's own error, whatever it is
    return Promise.reject(error);
  }
}

/**
 * `new Promise`, with a way to undo it: the function that the executor returns is called on a cancel, and the promise
 * rejects when that is done.
 *
 * @checkpoint always, before; the executor is not called if the token is cancelled
 * @fairness What was resolved or rejected before the cancel stands, also in the same tick. An undo that fails is the
 * failure that counts.
 * @cleanup The undo is forgotten when the promise settles; an undo that outlasts the grace is left behind, and the
 * error's `abandoned` names it.
 * @param token Whose stop.
 * @param executor Gets `resolve`, `reject` and a context with the token and its signal.
 * @param options As for `withCancellation`: limits in milliseconds, a name.
 * @returns What the executor resolved with.
 * @throws CancelledError – as a rejection: the token was cancelled, and the undo is done.
 * @throws DeadlineExceededError – as a rejection: `timeoutMs` or `idleMs` of this call passed.
 * @throws TypeError, RangeError – as a rejection: arguments that make no sense.
 * @example
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { execute } from 'desist/compose'
 *
 * const stop = new CancellationTokenSource()
 * const log: string[] = []
 * const waiting = execute<string>(stop.token, (resolve) => {
 *   const timer = setTimeout(() => resolve('rang'), 60_000)
 *   return (reason) => {
 *     clearTimeout(timer)
 *     log.push(reason.kind)
 *   }
 * })
 * stop.cancel('user')
 * await waiting // => throws CancelledError
 * log // => ['user']
 * ```
 * @source abort-controller-x `execute`
 * @since 0.1.0
 */
export async function execute<T>(
  token: TokenLike | null | undefined,
  executor: Executor<T>,
  options: WithCancellationOptions<T> = {},
): Promise<T> {
  requireFunction('executor', executor);
  requireOptions(options, workOptions);
  const name = options.name ?? (executor.name === '' ? 'execute' : executor.name);
  return runUnder<T>(
    token,
    (signal, context) =>
      executeUnder<T>(signal, (resolve, reject) => {
        // The library hands the value to a native promise, which takes thenables as well.
        const undo = executor(resolve as (value: T | PromiseLike<T>) => void, reject, context);
        if (undo !== undefined) requireFunction('what the executor returns', undo);
        return () => undone(undo as Undo | undefined, context.token.reason as CancelReason);
      }),
    { ...options, name },
  );
}
