/**
 * Whether an error means "stopped", and whose stop it was.
 *
 * The shape of an error decides whether it is an abort; the token decides whose and gives the reason. A shape that can
 * mean either is taken for a cancel only if the token is cancelled; a genuine failure that raced the cancel stays one.
 *
 * Prior art: gRPC status codes; Go's `errors.Is(err, context.Canceled)`.
 *
 * @module
 */
import { readAbort } from '../abort-reason.ts';
import { isObject } from '../check.ts';
import { isCancelledError, isDeadlineExceededError } from '../errors.ts';
import { fieldsOf, isLimit, MAX_LOOKS, partsOf, readShape } from './error-shape.ts';
import { createReason, isCancelReason, type CancelReason } from '../reason.ts';

/** As much of a token as it takes to say whose stop it was; an `AbortSignal` will do. */
export type CancelState =
  | { readonly isCancelled: boolean; readonly reason: CancelReason | undefined }
  | { readonly aborted: boolean; readonly reason?: unknown };

/**
 * What {@link classify} says of an error.
 *
 * `cancelled` the token asked for it · `deadline` a limit passed · `foreign-abort` something stopped it, but not the
 * token · `failure` it failed.
 *
 * @since 0.1.0
 */
export interface Classification {
  readonly status: 'cancelled' | 'deadline' | 'foreign-abort' | 'failure';
  /** Why, where it is known. */
  readonly reason?: CancelReason;
  /**
   * Whether trying again can help: `true` only for a limit, `undefined` for a failure, which we do not judge, and `false`
   * for everything under a token that is cancelled itself.
   */
  readonly retryable: boolean | undefined;
}

/** The reason an error carries, itself or in its causes. */
function reasonIn(error: unknown): CancelReason | undefined {
  let current = error;
  try {
    for (let looks = 0; looks < MAX_LOOKS && current !== undefined; looks++) {
      if (isCancelReason(current)) return current;
      if (isCancelledError(current) || isDeadlineExceededError(current)) return current.reason;
      const fields = fieldsOf(current);
      current = fields?.['cause'] ?? partsOf(fields ?? {})[0];
    }
  } catch {
    // What cannot be read carries none.
  }
  return undefined;
}

function reasonOfState(
  state: CancelState | null | undefined,
): { readonly reason: CancelReason | undefined } | undefined {
  if (!isObject(state)) return undefined;
  if ('isCancelled' in state) return state.isCancelled ? { reason: state.reason } : undefined;
  return state.aborted ? readAbort(state.reason) : undefined;
}

/**
 * Says what an error means for work that ran under a token. A `cause` is looked at, and its cause; an `AggregateError` or
 * `SuppressedError` is a stop only if everything in it is, at any depth.
 *
 * @checkpoint never: it reads the token and throws nothing
 * @param error Whatever was thrown, of any library, or a reason.
 * @param token The token the work ran under; without it nothing can be called ours, and ambiguous shapes are failures.
 * @returns What it was, why, and whether trying again can help.
 * @example
 * ```ts
 * import { CancellationTokenSource, classify } from 'desist'
 *
 * const source = new CancellationTokenSource()
 * source.cancel('user')
 * classify(new DOMException('gone', 'AbortError'), source.token).status // => 'cancelled'
 * classify(new Error('disk full'), source.token).status // => 'failure'
 * ```
 * @source gRPC status codes
 * @since 0.1.0
 */
export function classify(error: unknown, token?: CancelState | null): Classification {
  const state = reasonOfState(token);
  const isTheirs = state !== undefined && !isObject(error) && Object.is(error, token?.reason);
  const shape = isTheirs ? 'abort' : readShape(error, state?.reason);
  const carried = shape === 'failure' || !isObject(error) ? undefined : reasonIn(error);
  // Nothing under a token that is cancelled itself is worth another try: it would be cancelled before it starts.
  if (shape === 'failure') return { status: 'failure', retryable: state === undefined ? undefined : false };

  if (state !== undefined) {
    const reason = state.reason ?? carried ?? createReason();
    // Somebody else's limit that passed in a run that a person stopped is still that limit.
    if (shape !== 'timeout' || isLimit(reason)) {
      return { status: isLimit(reason) ? 'deadline' : 'cancelled', reason, retryable: false };
    }
  }
  if (shape === 'timeout' || isLimit(carried)) {
    const reason = carried === undefined ? {} : { reason: carried };
    return { status: 'deadline', ...reason, retryable: state === undefined };
  }
  if (shape === 'ambiguous') return { status: 'failure', retryable: undefined };
  return { status: 'foreign-abort', ...(carried === undefined ? {} : { reason: carried }), retryable: false };
}

/**
 * Whether an error means "stopped": by the token, by a limit, or – without a token – by anybody.
 *
 * @checkpoint never: it reads the token and throws nothing
 * @param error Whatever was thrown.
 * @param token If given, only a stop that came from this token or a limit counts.
 * @returns `false` for every genuine failure.
 * @example
 * ```ts
 * import { CancelledError, isCancellation } from 'desist'
 *
 * isCancellation(new CancelledError('user')) // => true
 * isCancellation(new Error('disk full')) // => false
 * ```
 * @since 0.1.0
 */
export function isCancellation(error: unknown, token?: CancelState | null): boolean {
  const { status } = classify(error, token);
  return (
    status === 'cancelled' ||
    status === 'deadline' ||
    ((token === undefined || token === null) && status === 'foreign-abort')
  );
}
