/**
 * Work that a cancel from above does not reach, for a while.
 * On storey 1b: what must still happen after a stop – flush, unlock, tell the server – runs under it.
 * Prior art: Trio's shielded cancel scope with a deadline; asyncio's `shield`, whose leak this has not.
 *
 * @module
 */
import { requireFunction, requireMs } from '../foundation/check.ts';
import { DeadlineExceededError, createCancelledError } from '../foundation/errors.ts';
import type { CancellationToken, TokenLike } from '../token/handles.ts';
import { tokenOf } from '../token/link.ts';
import { listen } from '../token/listener.ts';
import { errorOf } from '../token/pull.ts';
import { Source, shieldOf, type Token } from '../token/source.ts';
import type { Outcome } from './settle.ts';
import { Work } from './work.ts';

/**
 * Options of {@link shield}.
 *
 * @since 0.1.0
 */
export interface ShieldOptions {
  /** Milliseconds the work may go on after the token is cancelled; counted from entry if it is cancelled already. */
  readonly graceMs: number;
}

/**
 * Runs work that the token's cancel does not reach, for a bounded time: the work's own token lives on for the grace and
 * is cancelled then. A kill reaches it at once.
 *
 * @checkpoint never: it also starts under a cancelled token, and its value is returned after a cancel
 * @fairness A result beats the end of the grace in the same turn of the event loop.
 * @cleanup Timer and registrations are gone when the promise settles; work that outlives its grace stays observed.
 * @param token Whose stop is kept out.
 * @param work Gets the shielded token.
 * @param options The grace, in milliseconds. There is no default: say how long a person has to wait.
 * @returns What the work returned.
 * @throws DeadlineExceededError – as a rejection: the grace ended first.
 * @throws CancelledError – as a rejection: it was killed.
 * @throws TypeError, RangeError – as a rejection: arguments that make no sense.
 * @example
 * ```ts
 * import { CancellationToken, shield } from 'desist'
 *
 * const stopped = CancellationToken.alreadyCancelled('user')
 * await shield(stopped, (token) => (token.isCancelled ? 'cut' : 'flushed'), { graceMs: 500 }) // => 'flushed'
 * ```
 * @source Trio `CancelScope(shield=True)`
 * @since 0.1.0
 */
export function shield<T>(
  token: TokenLike | null | undefined,
  work: (graceToken: CancellationToken) => T | PromiseLike<T>,
  options: ShieldOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const parent = tokenOf(token);
    requireFunction('work', work);
    const graceMs = requireMs('graceMs', (options as ShieldOptions | undefined)?.graceMs, 'infinity-allowed');
    if (parent.isKilled) throw errorOf(parent);
    runShielded(parent, work, graceMs, (outcome, error) => {
      if (outcome.status === 'completed') resolve(outcome.value);
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the work's own error, whatever it is
      else reject(error);
    });
  });
}

/**
 * Starts the work whatever has happened to the parent; under a killed one its token is cancelled from the start. Tells
 * its outcome, and the error that stands for one that is no value.
 */
export function runShielded<T>(
  parent: Token,
  work: (graceToken: CancellationToken) => T | PromiseLike<T>,
  graceMs: number,
  done: (outcome: Outcome<T>, error: unknown) => void,
): void {
  const source = new Source(shieldOf(parent));
  const name = work.name === '' ? 'shielded work' : work.name;
  const settings = { settle: 'try', graceMs, idleMs: Infinity, name, onLateSettle: undefined } as const;
  const run = new Work<T>(source, settings, (outcome) => {
    armed.unregister();
    done(outcome, errorOfShielded(outcome, source.token, graceMs));
  });
  const armed = listen(parent, () => {
    source.cancelAfter(graceMs);
  });
  run.run(({ token: graceToken }) => work(graceToken));
}

function errorOfShielded(outcome: Outcome<unknown>, token: Token, graceMs: number): unknown {
  if (outcome.status === 'completed') return undefined;
  if (outcome.status === 'failed') return outcome.error;
  const abandoned = outcome.status === 'abandoned' ? { name: outcome.name } : undefined;
  if (!token.isKilled) return new DeadlineExceededError(graceMs, outcome.reason, { abandoned });
  return abandoned === undefined ? errorOf(token) : createCancelledError(outcome.reason, { abandoned });
}
