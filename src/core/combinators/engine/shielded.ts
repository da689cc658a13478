/**
 * Work that a cancel from above reaches only when its grace is over: what `shield` and every clean-up of a scope run
 * as. Prior art: Trio's shielded cancel scope with a deadline.
 *
 * @module
 */
import { abandonedWork } from '../../foundation/results/abandoned-work.ts';
import { DeadlineExceededError, createCancelledError } from '../../foundation/errors.ts';
import type { Releasable } from '../../foundation/disposable.ts';
import type { CancellationToken } from '../../token/cancellation-token.ts';
import { Source } from '../../token/source.ts';
import { shieldOf, type Token } from '../../token/token.ts';
import { clockOf } from '../../token/tree/environment.ts';
import { listen } from '../../token/tree/listeners.ts';
import { errorOf } from '../../token/tree/state.ts';
import type { Outcome } from '../outcome.ts';
import { holdGrace } from './grace.ts';
import { Work } from './work.ts';

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
  const run = new Work<T>(source, {
    settings: { settle: 'try', graceMs },
    startsStopped: true,
    name,
    done: (outcome) => {
      armed.unregister();
      for (const each of [held, alive]) each?.release();
      done(outcome, errorOfShielded(outcome, source.token, graceMs));
    },
  });
  let held: Releasable | undefined;
  let alive: Releasable | undefined;
  const armed = listen(parent, () => {
    held = holdGrace(parent);
    source.cancelAfter(graceMs);
    if (graceMs === Infinity) return;
    // The limit of a token keeps no process alive, and who was stopped waits to hear what did not end.
    const message = `Not finished within ${String(graceMs)} ms`;
    alive = clockOf(parent).setTimer(() => source.cancel({ kind: 'deadline', message }), graceMs, { ref: true });
  });
  run.run(({ token: graceToken }) => work(graceToken));
}

function errorOfShielded(outcome: Outcome<unknown>, token: Token, graceMs: number): unknown {
  if (outcome.status === 'completed') return undefined;
  if (outcome.status === 'failed') return outcome.error;
  const abandoned = outcome.status === 'abandoned' ? abandonedWork(outcome.name, outcome.late) : undefined;
  if (!token.isKilled) return new DeadlineExceededError(graceMs, outcome.reason, { abandoned });
  return abandoned === undefined ? errorOf(token) : createCancelledError(outcome.reason, { abandoned });
}
