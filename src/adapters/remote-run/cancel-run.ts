/**
 * Ends a run of which only the name is left: after a restart, or from another program. Prior art: Kubernetes' delete with
 * a grace period.
 *
 * @module
 */
import {
  DEFAULT_GRACE_MS,
  isDeadlineExceededError,
  type OptionNames,
  type OptionsOnly,
  requireFunction,
  requireMs,
  requireOptions,
  wireSignal,
  withCancellation,
} from '../../core/inside.ts';
import { remoteName, requireId } from '../internal/remote-work/remote-words.ts';
import type { RunOptions } from './await-run.ts';
import type { RunEnd } from './run-end.ts';

const optionNames: OptionNames<NonNullable<Parameters<typeof cancelRun>[2]>> = { graceMs: 1, name: 1 };

/**
 * Cancels a run by its name, and says what came of that. There is no token: whoever calls this wants the run to end.
 *
 * @checkpoint never
 * @cleanup No timer is left; a request that was not answered within the grace is aborted.
 * @param id The name that `onNamed` was told.
 * @param cancel Asks the other side, with the id and a signal that fires when the grace is over.
 * @param options The grace in milliseconds, 1,000 by default; a name for reports.
 * @returns `cancelled` if the other side answered; `failed` with what it threw; `abandoned` if it said nothing.
 * @throws TypeError, RangeError – as a rejection: arguments that make no sense.
 * @example
 * ```ts
 * import { cancelRun } from 'desist/remote-run'
 *
 * // with the SDK of LangGraph: (id, { signal }) => client.runs.cancel(thread, id, true, 'interrupt', { signal })
 * const end = await cancelRun('run-1', async () => 'ok')
 * end // => { status: 'cancelled', id: 'run-1' }
 * ```
 * @source A2A `CancelTask`
 * @since 0.1.0
 */
export async function cancelRun(
  id: string,
  cancel: RunOptions['cancel'],
  options: Pick<RunOptions, 'graceMs' | 'name'> & OptionsOnly = {},
): Promise<RunEnd> {
  requireId('id', id);
  requireFunction('cancel', cancel);
  requireOptions(options, optionNames);
  const { graceMs = DEFAULT_GRACE_MS, name = 'remote run' } = options;
  requireMs('graceMs', graceMs, 'finite');
  try {
    await withCancellation(undefined, ({ token }) => cancel(id, { signal: wireSignal(token) }), {
      timeoutMs: graceMs,
      settle: 'abandon',
      name: remoteName(name, id),
    });
    return { status: 'cancelled', id };
  } catch (error) {
    return { status: isDeadlineExceededError(error) && error.limitMs === graceMs ? 'abandoned' : 'failed', id, error };
  }
}
