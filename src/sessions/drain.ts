/**
 * The end of all sessions of a registry: what runs has time to end by itself, the rest is stopped, and everybody can know.
 *
 * Invariants: one drain, whoever asks for it and how often; whoever is in a hurry counts. A session that was closed before it, and
 * still cleans up or is not known to have ended, is waited for and named as any other.
 *
 * @module
 */
import { runUntilCancelled } from '../core/combinators/with-cancellation.ts';
import { waitAtMost } from '../core/combinators/wait-at-most.ts';
import type { Clock } from '../core/foundation/clock.ts';
import type { Token } from '../core/token/token.ts';
import { endOf, type ClosedSession, type OpenSession, type OpenSessions } from './open-sessions.ts';
import type { DrainReport } from './remote-receipt.ts';
import type { HostedSession } from './session.ts';

/** What one who asks for the drain wants. */
export interface DrainLimits {
  readonly timeoutMs: number;
  readonly hurry: Token;
  readonly willRetry: boolean;
}

/** The drain of one registry. */
export class Drain {
  readonly report: Promise<DrainReport>;
  readonly #clock: Clock;
  readonly #sessions: OpenSessions;
  readonly #all: readonly OpenSession[];
  /** Those that had closed before it. */
  readonly #closed: readonly ClosedSession[];
  /** Those that had nothing to do yet: a queue gives that to another process. */
  readonly #unbegun: ReadonlySet<HostedSession>;
  readonly #idle: Promise<unknown>;
  /** Those of whom something had to be stopped, once nobody waits any longer. */
  readonly #late: Promise<ReadonlySet<HostedSession>>;
  #stopWaiting!: () => void;
  #willRetry = false;

  constructor(clock: Clock, sessions: OpenSessions) {
    this.#clock = clock;
    this.#sessions = sessions;
    [this.#all, this.#closed] = [sessions.all, sessions.unwritten];
    const all = this.#all.map(({ session }) => session);
    for (const session of all) session.drain();
    this.#unbegun = new Set(all.filter((session) => session.isToCome(undefined)));
    this.#idle = Promise.all(all.map((session) => session.whenIdle()));
    const waited = new Promise<void>((resolve) => (this.#stopWaiting = resolve));
    this.#late = waited.then(() => new Set(all.filter((session) => session.cutBy !== undefined || session.isBusy)));
    this.report = this.#late.then((late) => this.#end(late));
  }

  /** Ends the waiting when the first of those who ask has no more time for it. */
  within({ timeoutMs, hurry, willRetry }: DrainLimits): void {
    this.#willRetry ||= willRetry;
    const killed = hurry.onKilled((reason) => {
      void this.#late.then((late) => late.forEach((session) => void session.kill(reason)));
    });
    void this.report.then(() => killed.unregister());
    const waited = runUntilCancelled(hurry, () => this.#idle, { settle: 'abandon' });
    void waitAtMost(this.#clock, timeoutMs, waited).then(this.#stopWaiting);
  }

  async #end(late: ReadonlySet<HostedSession>): Promise<DrainReport> {
    const open = this.#all.map(async (opened) => {
      const { session } = opened;
      const isLate = late.has(session);
      const mayBeTried = this.#willRetry && (isLate || session.wasStopped || this.#unbegun.has(session));
      const report = await this.#sessions.end(opened, { kind: 'shutdown' }, mayBeTried);
      return { sessionId: session.id, report: { ...report, reason: report.reason ?? session.cutBy }, isLate };
    });
    const closed = this.#closed.map(async (one) => ({ ...one, report: await endOf(one), isLate: false }));
    const ends = await Promise.all([...open, ...closed]);
    const idsOf = (some: readonly (typeof ends)[number][]): readonly string[] => some.map(({ sessionId }) => sessionId);
    const hasFinished = ({ isLate, report }: (typeof ends)[number]): boolean =>
      !isLate && report.abandoned.length === 0;
    const unconfirmed = idsOf(ends.filter(({ report }) => report.unconfirmed === true));
    return {
      finished: idsOf(ends.filter(hasFinished)),
      stopped: ends.filter((end) => !hasFinished(end)).map(({ sessionId, report }) => ({ sessionId, report })),
      ...(unconfirmed.length > 0 && { unconfirmed }),
    };
  }
}
