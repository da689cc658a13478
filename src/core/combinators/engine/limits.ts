/**
 * The one place that says whose limit it was: the function that set a limit reports its own as an error of its own,
 * everybody else's passes through as a cancel.
 *
 * @module
 */
import { abandonedWork } from '../../foundation/results/abandoned-work.ts';
import { DeadlineExceededError, createCancelledError } from '../../foundation/errors.ts';
import type { Token } from '../../token/token.ts';
import { OWN } from '../../token/tree/node.ts';
import { errorOf } from '../../token/tree/state.ts';
import type { Outcome } from '../outcome.ts';

/** The limits that one call had. */
export interface Limits {
  readonly timeoutMs?: number | undefined;
  readonly idleMs?: number | undefined;
}

/** What is known of work that has ended, or was not started: whose token it had, and under which limits. */
export interface EndedWork {
  readonly token: Token;
  readonly limits: Limits;
}

/** Whether a limit that was set on this very token, rather than a cancel from above, ended its work. */
export function endedByOwnLimit(token: Token): boolean {
  const kind = token.reason?.kind;
  return (token.flags & OWN) !== 0 && (kind === 'deadline' || kind === 'idle');
}

/** The error that stands for an outcome that is not a value. */
export function errorFor<T>(
  outcome: Exclude<Outcome<T>, { readonly status: 'completed' }>,
  { token, limits }: EndedWork,
): unknown {
  if (outcome.status === 'failed') return outcome.error;
  const abandoned = outcome.status === 'abandoned' ? abandonedWork(outcome.name, outcome.late) : outcome.abandoned;
  const { completed } = outcome;
  if (endedByOwnLimit(token)) {
    const { idleMs, timeoutMs } = limits;
    const limitMs = (outcome.reason.kind === 'idle' ? idleMs : timeoutMs) ?? 0;
    return new DeadlineExceededError(limitMs, outcome.reason, { abandoned, completed });
  }
  // One error for everybody, unless this call has something of its own to say.
  if (abandoned === undefined && completed === undefined) return errorOf(token);
  return createCancelledError(outcome.reason, { abandoned, completed });
}
