/**
 * Ends sessions that are open here: each closes, gives its id back, and is known to have ended.
 *
 * @module
 */
import type { CancelReasonLike } from '../core/foundation/reason.ts';
import type { StopReport } from '../core/interrupt/public-types/stop-report.ts';
import type { HostedSession } from './session.ts';
import type { Hosting } from './stop-bus.ts';

/** A session, and the right to host it. */
export interface OpenSession {
  readonly session: HostedSession;
  readonly tie: Hosting;
  /** How it ends, once it is closed. */
  end?: Promise<EndedSession>;
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
  { session, tie }: OpenSession,
  reason: CancelReasonLike | undefined,
  willRetry: boolean,
): Promise<EndedSession> {
  session.refuse();
  const why = session.reasonOfEnd(reason);
  // D10: what a person has stopped without the bus, at any time until the clean-up is over, is told to it at once: the next attempt
  // may begin before that. The close itself is no such stop.
  const hold = (stopped = session.stopToHold): void => {
    if (stopped === undefined || stopped === why) return;
    session.noteStop();
    tie.hold?.(stopped);
  };
  const before = session.stopToHold;
  const closed = session.close(why);
  const heard = willRetry ? session.onPersonStop(hold) : undefined;
  if (willRetry) hold(before);
  tie.release({ after: closed, willRetry, reason: why });
  const report = await closed.finally(() => heard?.release());
  const isWritten = (await tie.ended?.().catch(() => false)) ?? true;
  return { session, report, isWritten };
}

/** Those of one registry. */
export class OpenSessions {
  readonly #open = new Map<string, OpenSession>();
  /** Those that have let go of their ids, until everybody can know that they have ended. */
  readonly #ending = new Set<OpenSession>();

  add(opened: OpenSession): void {
    this.#open.set(opened.session.id, opened);
  }

  get(id: string): OpenSession | undefined {
    return this.#open.get(id);
  }

  /** Also those that have let go of their ids. */
  get all(): readonly OpenSession[] {
    return [...this.#open.values(), ...this.#ending];
  }

  /** Also those that clean up: a person may stop them. */
  get busyOrOpen(): readonly HostedSession[] {
    const isOneOf = (opened: OpenSession): boolean => opened.session.isBusy || !this.#ending.has(opened);
    return this.all.filter(isOneOf).map(({ session }) => session);
  }

  /** Closes one, and lets go of its id; the same end for whoever asks. */
  end(opened: OpenSession, reason: CancelReasonLike | undefined, willRetry: boolean): Promise<EndedSession> {
    if (opened.end !== undefined) return opened.end;
    this.#open.delete(opened.session.id);
    this.#ending.add(opened);
    return (opened.end = endSession(opened, reason, willRetry).finally(() => this.#ending.delete(opened)));
  }
}
