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
  const before = session.stopToHold;
  const closed = session.close(why);
  // D10: what a person has stopped without the bus, at any time until the clean-up is over, is asked of the bus as well, which keeps
  // it for the next attempt. The close itself is no such stop.
  const hold = (): Promise<unknown> | undefined => {
    const stopped = before ?? session.stopToHold;
    if (stopped === undefined || stopped === why) return undefined;
    return bus.request({ sessionId: session.id, reason: stopped }).catch(() => undefined);
  };
  const over = willRetry ? closed.then(hold) : closed;
  tie.release({ after: over, willRetry, reason: why, holds: () => session.wasTold });
  const report = await closed;
  await over;
  const isWritten = (await tie.ended?.().catch(() => false)) ?? true;
  return { session, report, isWritten };
}

/** Those of one registry. */
export class OpenSessions {
  readonly #open = new Map<string, OpenSession>();
  /** Those that have let go of their ids. */
  readonly #ending = new Set<HostedSession>();

  add(opened: OpenSession): void {
    this.#open.set(opened.session.id, opened);
  }

  get(id: string): HostedSession | undefined {
    return this.#open.get(id)?.session;
  }

  get open(): readonly HostedSession[] {
    return [...this.#open.values()].map(({ session }) => session);
  }

  /** Also those that clean up: a person may stop them. */
  get busyOrOpen(): readonly HostedSession[] {
    return [...this.open, ...[...this.#ending].filter(({ isBusy }) => isBusy)];
  }

  /** Closes one, and lets go of its id; `undefined` if it is not open. */
  async end(id: string, reason: CancelReasonLike | undefined, willRetry: boolean): Promise<EndedSession | undefined> {
    const opened = this.#open.get(id);
    if (opened === undefined) return undefined;
    this.#open.delete(id);
    this.#ending.add(opened.session);
    return endSession(opened, reason, willRetry).finally(() => this.#ending.delete(opened.session));
  }
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
