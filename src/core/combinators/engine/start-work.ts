/**
 * The one way in to the engine: checks what the caller said, makes the work's own token, and starts the work unless it
 * is too late. Prior art: Trio's cancel scopes.
 *
 * @module
 */
import {
  noOptions,
  requireFunction,
  requireMs,
  requireOneOf,
  requireOptions,
  type OptionNames,
} from '../../foundation/check.ts';
import { Source } from '../../token/source.ts';
import { cancelIfOverdue } from '../../token/time/overdue.ts';
import { childOf, type Token } from '../../token/token.ts';
import type { Outcome } from '../outcome.ts';
import type { WithCancellationOptions } from '../with-cancellation.ts';
import { DEFAULT_GRACE_MS } from './grace.ts';
import type { EndedWork } from './limits.ts';
import type { CancelContext } from './work-context.ts';
import { Work } from './work.ts';

/** What work may be: given its context, a value or a promise of one. */
export type CancellableWork<T> = (context: CancelContext) => T | PromiseLike<T>;

const policies = ['abandon', 'try', 'wait'] as const;

/** Names of the options of every function that runs work. */
export const workOptions: OptionNames<WithCancellationOptions> = {
  settle: 1,
  graceMs: 1,
  timeoutMs: 1,
  idleMs: 1,
  name: 1,
  onLateSettle: 1,
  isStop: 1,
  clock: 1,
};

/**
 * Starts the work, unless it is too late, and reports its outcome once; throws only for misuse.
 *
 * @param done Gets the outcome, and what the work had; see {@link errorFor}.
 * @param holdsFor A token whose other children this work waits for, as a body does: it is held while they stop.
 */
export function startWork<T>(
  parent: Token,
  work: CancellableWork<T>,
  options: WithCancellationOptions<T>,
  done: (outcome: Outcome<T>, ended: EndedWork) => void,
  holdsFor?: Token,
): void {
  requireFunction('work', work);
  requireOptions(options, workOptions);
  const { settle = 'wait', graceMs = DEFAULT_GRACE_MS, idleMs = Infinity, isStop, onLateSettle } = options;
  requireOneOf('settle', settle, policies);
  requireMs('graceMs', graceMs, 'infinity-allowed');
  requireMs('idleMs', idleMs, 'infinity-allowed');
  if (onLateSettle !== undefined) requireFunction('onLateSettle', onLateSettle);
  if (isStop !== undefined) requireFunction('isStop', isStop);
  const source = new Source(childOf(parent), options === noOptions ? undefined : options);
  // A limit of its own has just been set, and asking for it would read the clock again.
  cancelIfOverdue(parent);
  new Work<T>(source, {
    settings: { settle, graceMs, isExactGrace: options.graceMs !== undefined, isStop },
    timeoutMs: options.timeoutMs,
    idleMs,
    name: options.name ?? (work.name === '' ? 'work' : work.name),
    endedLate: onLateSettle,
    holdsFor,
    done,
  }).run(work);
}
