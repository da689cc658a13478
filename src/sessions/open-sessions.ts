/**
 * Ends sessions that are open here: each closes, gives its id back, and is known to have ended.
 *
 * @module
 */
import type { CancelReasonLike } from '../core/foundation/reason.ts';
import type { StopReport } from '../core/interrupt/public-types/stop-report.ts';
import type { DrainReport } from './remote-receipt.ts';
import type { HostedSession } from './session.ts';
import type { Hosting, StopBus } from './stop-bus.ts';

/** A session, and the right to host it. */
export interface OpenSession {
  readonly session: HostedSession;
  readonly tie: Hosting;
  readonly bus: StopBus;
}

/** How a session came to its end. */
export interface EndedSession {
  readonly session: HostedSession;
  readonly report: StopReport;
  /** Whether everybody can know. */
  readonly isWritten: boolean;
}

/** Closes a session, and waits until its end is written or cannot be. */
export async function endSession(
  { session, tie, bus }: OpenSession,
  reason: CancelReasonLike | undefined,
  willRetry: boolean,
): Promise<EndedSession> {
  session.refuse();
  const why = session.reasonOfEnd(reason);
  const stopped = willRetry ? session.stopToHold : undefined;
  const closed = session.close(why);
  // D10: what a person has stopped without the bus is asked of the bus as well, which keeps it for the next attempt.
  const held = stopped && bus.request({ sessionId: session.id, reason: stopped }).catch(() => undefined);
  tie.release({ after: closed, willRetry, reason: why });
  const report = await closed;
  const isWritten = (await tie.ended?.().catch(() => false)) ?? true;
  await held;
  return { session, report, isWritten };
}

/** What a drain came to, of which these sessions had to be stopped. */
export function drainReport(ends: readonly EndedSession[], late: ReadonlySet<HostedSession>): DrainReport {
  const idsOf = (some: readonly EndedSession[]): readonly string[] => some.map(({ session }) => session.id);
  const unconfirmed = idsOf(ends.filter(({ isWritten }) => !isWritten));
  return {
    finished: idsOf(ends.filter(({ session }) => !late.has(session))),
    stopped: ends
      .filter(({ session }) => late.has(session))
      .map(({ session, report }) => ({ sessionId: session.id, report })),
    ...(unconfirmed.length > 0 && { unconfirmed }),
  };
}
