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

/** What a session's end came to, and whether the bus could not write it. */
export type EndReport = StopReport & { readonly unconfirmed?: true };

/** Closes a session: what its end comes to, while stops still find it. */
function close(
  { session, tie }: OpenSession,
  reason: CancelReasonLike | undefined,
  willRetry: boolean,
): Promise<StopReport> {
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
  return closed.finally(() => heard?.release());
}

/** Those of one registry. */
export class OpenSessions {
  readonly #open = new Map<string, OpenSession>();
  /** Those that have let go of their ids, until everybody can know that they have ended: some never. */
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

  /** Closes one, and lets go of its id: it ends once, and whoever asks hears whether that is written by then. */
  async end(opened: OpenSession, reason: CancelReasonLike | undefined, willRetry: boolean): Promise<EndReport> {
    const { session, tie } = opened;
    const isWritten = async (ms?: number): Promise<boolean> => (await tie.ended?.(ms).catch(() => false)) ?? true;
    if (opened.closed === undefined) {
      this.#open.delete(session.id);
      this.#ending.add(opened);
      const closed = (opened.closed = close(opened, reason, willRetry));
      void closed.then(async () => (await isWritten(Infinity)) && this.#ending.delete(opened));
    }
    const report = await opened.closed;
    return (await isWritten()) ? report : { ...report, unconfirmed: true };
  }
}
