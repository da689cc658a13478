/**
 * What became of a run on another machine, as data. Prior art: `Promise.allSettled`.
 *
 * @module
 */
import { isCancelledError, isDeadlineExceededError } from '../../core/inside.ts';

/**
 * What became of a run, as far as it is known here.
 *
 * `completed` it ended by itself, or its events did · `cancelled` it was told to stop and answered that it has, or ended then ·
 * `failed` it says so, or its connection broke, or a cancel was refused: `error`, if there is one, says which ·
 * `abandoned` it was told to stop, or had no name to be told by, and may go on · `left` its reader went, and it was kept.
 *
 * @since 0.1.0
 */
export interface RunEnd {
  readonly status: 'completed' | 'cancelled' | 'failed' | 'abandoned' | 'left';
  /** The name of the run, if it had one. */
  readonly id: string | undefined;
  /** What was thrown; `undefined` for a run that ended by itself. */
  readonly error?: unknown;
}

/** The end of a run whose call threw. */
export function endOfError(id: string | undefined, error: unknown): RunEnd {
  const isStop = isCancelledError(error) || isDeadlineExceededError(error);
  if (!isStop) return { status: 'failed', id, error };
  return { status: error.abandoned === undefined ? 'cancelled' : 'abandoned', id, error };
}
