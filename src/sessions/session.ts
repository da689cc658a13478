/**
 * One conversation that this process hosts: its controller, and what a stop by id does to it.
 *
 * @module
 */
import type { OptionNames } from '../core/foundation/check.ts';
import type { Releasable } from '../core/foundation/disposable.ts';
import type { CancelReason, CancelReasonLike } from '../core/foundation/reason.ts';
import type { Agent } from '../core/interrupt/agent/agent.ts';
import { InterruptController, agentOf } from '../core/interrupt/controller.ts';
import type { InterruptControllerOptions } from '../core/interrupt/public-types/agent-options.ts';
import type { StopReport } from '../core/interrupt/public-types/stop-report.ts';
import { earlyReport, stopAll, stopTurns } from '../core/interrupt/stops/stop-request.ts';
import { tokenOf } from '../core/token/bridge/linked-tokens.ts';
import type { Token } from '../core/token/token.ts';
import { EPOCH } from '../core/token/tree/node.ts';
import type { EndReport } from './open-sessions.ts';
import type { Hosting } from './stop-bus.ts';
import { KeptStops } from './kept/stops-to-come.ts';

/**
 * A session that this registry hosts.
 *
 * @since 0.1.0
 */
export interface Session<M = string> {
  readonly id: string;
  /** Its turns and its background work. */
  readonly controller: InterruptController<M>;
  /**
   * Stops everything that has started, and keeps the session for what comes next.
   *
   * @returns What happened; `unconfirmed` if somebody who works for it elsewhere has not ended in time.
   */
  readonly pause: (reason?: CancelReasonLike) => Promise<EndReport>;
  /**
   * Waits until stops that were asked for by then are here, so that a turn which starts at once does not begin if one is for it. At
   * once in one process; a few round trips to the engine with a bus between processes.
   *
   * @returns `false` if the engine does not say so in time, or the session is closed before it does.
   */
  readonly ready: () => Promise<boolean>;
  /**
   * Closes this hosting of the session, as `registry.close` does by id, and never one that was opened under the id since.
   *
   * @returns What happened; the same again for one that is closed.
   */
  readonly close: (
    reason?: CancelReasonLike,
    options?: { readonly willRetry?: boolean | undefined },
  ) => Promise<EndReport>;
}

/**
 * Options of `registry.open`.
 *
 * @since 0.1.0
 */
export interface SessionOpenOptions extends InterruptControllerOptions {
  /**
   * Somebody wants this work although it may have been stopped: stops that were asked for before are not for it. Without it a
   * stop holds for the next attempt: one that nobody was told of, and one whose process died before the work had ended.
   */
  readonly again?: boolean | undefined;
  /** Up to 8 names, such as `tenant:acme`: `cancelGroup` stops every session of one. Whoever may stop the group may stop this. */
  readonly groups?: readonly string[] | undefined;
}

/** Their names. */
export const openOptions: OptionNames<SessionOpenOptions> = {
  ...{ again: 1, groups: 1, name: 1, token: 1, undelivered: 1, graceMs: 1, clock: 1 },
};

/** What a session does by the registry and the bus. */
export interface SessionWays extends Pick<Session, 'ready' | 'close'> {
  /** Tells whoever works for it elsewhere of a stop. */
  readonly tell: NonNullable<Hosting['tell']>;
}

/** The implementation; the registry owns it. */
export class HostedSession {
  readonly session: Session<never>;
  readonly #agent: Agent;
  readonly #kept: KeptStops;
  /** The token that it was opened with. */
  readonly #outside: Token;
  /** The last turn there was when everything was stopped. */
  #stoppedAt: number | undefined;
  /** The person's stop that the bus knows of, where the last was one. */
  #known: CancelReason | undefined;
  /** Why something of it first ended by a stop that came in the drain. */
  cutBy: CancelReason | undefined;

  readonly #tell: NonNullable<Hosting['tell']>;

  constructor(id: string, options: InterruptControllerOptions, { ready, tell, close }: SessionWays) {
    this.#tell = tell;
    const controller = new InterruptController<never>(options);
    this.#agent = agentOf(controller) as Agent;
    this.#kept = new KeptStops(this.#agent.clock);
    this.#agent.accepted.toCome = this.#kept;
    this.#outside = tokenOf(options.token);
    this.session = Object.freeze({
      id,
      controller,
      pause: (reason: CancelReasonLike | undefined) => this.stopAll('cancel', reason),
      ready,
      close,
    });
  }

  get id(): string {
    return this.session.id;
  }

  /** Everything there is, by the process that hosts it: also what works for it elsewhere. */
  async stopAll(level: 'cancel' | 'kill', given: CancelReasonLike | undefined): Promise<EndReport> {
    const reason = this.#agent.reasonOf(given);
    const report = level === 'kill' ? this.kill(reason) : this.stop(reason);
    const isOver = this.#tell({ reason, level }, report).catch(() => false);
    return (await isOver) ? report : { ...(await report), unconfirmed: true };
  }

  /** One turn, or everything there is: turns, background work, detached sub-agents. */
  stop(reason: CancelReasonLike | undefined, turnId?: number): Promise<StopReport> {
    const agent = this.#agent;
    const why = agent.reasonOf(reason);
    const receipt = turnId === undefined ? stopAll(agent, 'cancel', why) : stopTurns(agent, 'cancel', why, turnId);
    return receipt.settled;
  }

  kill(reason: CancelReasonLike | undefined): Promise<StopReport> {
    return this.session.controller.kill(reason, { all: true }).settled;
  }

  /** How many turns it was given so far: a stop of everything is of none that comes later. */
  get given(): number {
    return this.#agent.accepted.lastId;
  }

  /** The bus knows of a stop of everything: of the person who was first, if it is one of a person. */
  noteStop(reason: CancelReason): void {
    this.#stoppedAt = this.given;
    this.#known = reason.kind === 'user' ? (this.#agent.stoppedByPerson ?? reason) : undefined;
  }

  /** Whether the last that it was given to do was stopped. */
  get wasStopped(): boolean {
    return this.wasTold || this.stopToHold !== undefined;
  }

  /** Whether a stop of everything, by its id, came after all that it was given to do. */
  get wasTold(): boolean {
    return this.#stoppedAt === this.given;
  }

  /** A person's stop of the last that it was given to do which no bus knows of: of one turn only where no other one runs. */
  get stopToHold(): CancelReason | undefined {
    const { current, stoppedByPerson } = this.#agent;
    const goesOn = current !== undefined && current.stop === undefined;
    return goesOn || (this.wasTold && this.#known === stoppedByPerson) ? undefined : stoppedByPerson;
  }

  /** The person's stop that counts for the next attempt, where one of everything, or of this turn, was just told. */
  heldBy(turnId: number | undefined): CancelReason | undefined {
    if (turnId === undefined) return this.#agent.stoppedByPerson;
    return this.isToCome(turnId) ? undefined : this.stopToHold;
  }

  /**
   * Tells of each stop by a person in the clean-up, also by a token whose stop has nothing left to stop: the one that it was opened
   * with, and that of the turn which ends.
   */
  onPersonStop(told: () => void): Releasable {
    const { status, turns } = this.#agent;
    status.onPersonStop = told;
    const heard = [this.#outside, turns.outside].flatMap((token) => [
      token.onCancelled((reason) => status.stopped(reason, true, -token.stamp)),
      token.onKilled((reason) => status.stopped(reason, true)),
    ]);
    return {
      release: () => {
        status.onPersonStop = undefined;
        for (const each of heard) each.unregister();
      },
    };
  }

  /** Whether this turn, or anything at all, is still to come. */
  isToCome(turnId: number | undefined): boolean {
    const { lastId } = this.#agent.accepted;
    return turnId === undefined ? lastId === 0 && !this.isBusy : turnId > lastId;
  }

  /**
   * Keeps a stop for a turn that is still to come, or for what starts first.
   *
   * @returns The report, once that will not begin any more; `undefined` where the stop has missed it.
   */
  async keep(reason: CancelReason, turnId: number | undefined, ms = 0): Promise<StopReport | undefined> {
    // A turn has a number: it may come as long as the session is open.
    const stuck = await (turnId === undefined
      ? this.#kept.keep('first', reason, ms)
      : this.#kept.keep(turnId, reason, Infinity));
    return stuck && earlyReport(this.#agent, stuck);
  }

  /** Whether a stop of this turn finds it, or can be kept for it. */
  hasRoomFor(turnId: number): boolean {
    return !this.isToCome(turnId) || this.#kept.hasRoomFor(turnId);
  }

  /** Nothing more starts: what would is stopped, since whoever starts it cannot know yet. */
  end(reason: CancelReason): void {
    this.#kept.end(reason);
  }

  /**
   * Nothing more starts, nor what waits in line; whatever a stop ends from here on counts as cut, whoever asks for it. What comes to a
   * limit of its own has ended by itself.
   */
  drain(): void {
    const since = EPOCH.cancels;
    this.#agent.onCut = ({ reason, stamp }) => {
      if (-stamp > since && reason?.kind !== 'budget' && reason?.kind !== 'deadline') this.cutBy ??= reason;
    };
    this.end(this.reasonOfEnd({ kind: 'shutdown' }));
  }

  get isBusy(): boolean {
    return this.#agent.isBusy || this.#agent.background.list().length > 0;
  }

  /** Resolves when nothing runs. */
  whenIdle(): Promise<void> {
    return this.#agent.whenEmpty();
  }

  /** Why it ends, as a close would say it. */
  reasonOfEnd(reason: CancelReasonLike | undefined): CancelReason {
    return this.#agent.reasonOf(reason, 'shutdown', 'all');
  }

  close(reason: CancelReasonLike | undefined): Promise<StopReport> {
    return this.session.controller.close(reason);
  }
}
