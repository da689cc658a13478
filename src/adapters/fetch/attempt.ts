/**
 * One attempt of a request, with a limit of its own up to the headers. Prior art: the `timeout` of the model SDKs, which
 * counts for each attempt.
 *
 * @module
 */
import {
  CancellationTokenSource,
  DeadlineExceededError,
  type LateOutcome,
  raceCancellation,
  type Releasable,
} from '../../core/inside.ts';
import type { CallScope } from '../internal/call-scope.ts';

/** Sends once. The signal it gives lives as long as the body: only the limit ends with the headers. */
export async function attempt<T>(
  scope: CallScope,
  call: (signal: AbortSignal) => Promise<T>,
  timeoutMs: number,
  onLateSettle: (outcome: LateOutcome<T>) => void,
): Promise<T> {
  if (timeoutMs === Infinity) return await raceCancellation(scope.token, call(scope.signal), { onLateSettle });
  const source = new CancellationTokenSource({ parent: scope.token, name: 'attempt' });
  const late = `No answer within ${String(timeoutMs)} ms`;
  const timer: Releasable = scope.clock.setTimer(
    () => {
      source.cancel({ kind: 'deadline', message: late });
    },
    timeoutMs,
    { ref: false },
  );
  try {
    return await raceCancellation(source.token, call(source.signal), { onLateSettle });
  } catch (error) {
    const { reason } = source.token;
    const isOwn = reason !== undefined && !scope.isCancelled;
    throw isOwn ? new DeadlineExceededError(timeoutMs, reason) : error;
  } finally {
    timer.release();
  }
}
