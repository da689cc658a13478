/**
 * Asks a bus for a stop, and follows it as far as somebody wants to know.
 *
 * Invariants: never more than the bus knows; never rejects for what the bus does; no longer than there is time.
 *
 * @module
 */
import type { Clock } from '../core/foundation/clock.ts';
import type { RemoteReceipt } from './remote-receipt.ts';
import type { StopBus, StopOutcome, StopProgress, StopRequest, StopStatus } from './stop-bus.ts';
import { waitAtMost } from './wait-at-most.ts';

/** How far to wait, and for how many milliseconds. */
export interface AskStopOptions {
  readonly wait: 'requested' | 'observed' | 'settled';
  readonly timeoutMs: number;
}

/** How far a stop comes, in this order. */
const steps: readonly StopStatus[] = ['pending', 'requested', 'observed', 'settled'];

/** How far the stop came. */
export async function askStop(
  bus: StopBus,
  clock: Clock,
  request: StopRequest,
  { wait, timeoutMs }: AskStopOptions,
): Promise<RemoteReceipt> {
  const { sessionId, reason } = request;
  const endsAt = clock.now() + timeoutMs;
  const base = { sessionId, reason, timedOut: false };
  let asked: StopProgress | undefined;
  try {
    asked = await waitAtMost(clock, timeoutMs, bus.request(request));
  } catch {
    return { ...base, status: 'unconfirmed' };
  }
  if (asked === undefined) return { ...base, status: 'unconfirmed', timedOut: true };
  const { status, report } = await follow(clock, asked, wait, endsAt);
  const reached = steps.indexOf(status);
  return {
    ...base,
    // Another stop of the same work may have come first, which only the work knows.
    reason: report?.reason ?? asked.reason ?? reason,
    status,
    timedOut: reached >= 0 && reached < steps.indexOf(wait) && wait !== 'requested',
    ...(asked.epoch !== undefined && { epoch: asked.epoch }),
    ...(status === 'settled' && report !== undefined && { report }),
  };
}

async function follow(
  clock: Clock,
  asked: StopProgress,
  wait: AskStopOptions['wait'],
  endsAt: number,
): Promise<StopOutcome> {
  if (wait === 'requested' || asked.until === undefined) return { status: asked.status };
  const left = Math.max(0, endsAt - clock.now());
  try {
    return (await waitAtMost(clock, left, asked.until(wait, left))) ?? { status: asked.status };
  } catch {
    return { status: asked.status };
  }
}
