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
  /** What its end came to here, once it is closed. */
  closed?: Promise<StopReport>;
}

/** A session that has closed, where not everybody can know that yet. */
export interface ClosedSession {
  readonly sessionId: string;
  readonly report: StopReport;
  readonly tie: Hosting;
}

/** What a session's end came to, and whether the bus could not write it. */
export type EndReport = StopReport & { readonly unconfirmed?: true };

/** Closes a session: what its end comes to, while stops still find it. */
function close(
  { session, tie }: OpenSession,
  reason: CancelReasonLike | undefined,
  willRetry: boolean,
): Promise<StopReport> {
  const why = session.reasonOfEnd(reason);
  session.end(why);
  // D10: what a person has stopped without the bus, at any time until the clean-up is over, is told to it at once: the next attempt
  // may begin before that. The close itself is no such stop.
  const hold = (stopped = session.stopToHold): void => {
    if (stopped === undefined || stopped === why) return;
    session.noteStop(stopped);
    tie.hold?.(stopped);
  };
  const before = session.stopToHold;
  const closed = session.close(why);
  const heard = willRetry ? session.onPersonStop(hold) : undefined;
  if (willRetry) hold(before);
  tie.release({ after: closed, willRetry, reason: why });
  return closed.finally(() => heard?.release());
}

async function isWritten(tie: Hosting, ms?: number): Promise<boolean> {
  return (await tie.ended?.(ms).catch(() => false)) ?? true;
}

/** What the end came to, once that is written or cannot be. */
export async function endOf({ report, tie }: Pick<ClosedSession, 'report' | 'tie'>): Promise<EndReport> {
  return (await isWritten(tie)) ? report : { ...report, unconfirmed: true };
}

/** Those of one registry. */
export class OpenSessions {
  readonly #open = new Map<string, OpenSession>();
  /** Those that have let go of their ids, until they have closed. */
  readonly #ending = new Set<OpenSession>();
  /** What is left of those whose end nobody elsewhere can know yet: there may be many, for as long as an engine is away. */
  readonly #unwritten = new Set<ClosedSession>();

  add(opened: OpenSession): void {
    this.#open.set(opened.session.id, opened);
  }

  get(id: string): OpenSession | undefined {
    return this.#open.get(id);
  }

  /** Those whose end nobody elsewhere can know yet. */
  get unwritten(): readonly ClosedSession[] {
    return [...this.#unwritten];
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

  /** Closes one, and lets go of its id: it ends once, and whoever asks hears whether that is written by then. */
  async end(opened: OpenSession, reason: CancelReasonLike | undefined, willRetry: boolean): Promise<EndReport> {
    const { session, tie } = opened;
    if (opened.closed === undefined) {
      this.#open.delete(session.id);
      this.#ending.add(opened);
      const closed = (opened.closed = close(opened, reason, willRetry));
      void closed.then((report) => {
        this.#ending.delete(opened);
        void this.#keep({ sessionId: session.id, report, tie });
      });
    }
    return endOf({ report: await opened.closed, tie });
  }

  async #keep(closed: ClosedSession): Promise<void> {
    this.#unwritten.add(closed);
    if (await isWritten(closed.tie, Infinity)) this.#unwritten.delete(closed);
  }
}
