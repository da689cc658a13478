/**
 * One conversation that this process hosts: its controller, and what a stop by id does to it.
 *
 * @module
 */
import type { CancelReason, CancelReasonLike } from '../core/foundation/reason.ts';
import type { Agent } from '../core/interrupt/agent.ts';
import { InterruptController, agentOf } from '../core/interrupt/controller.ts';
import type { InterruptControllerOptions } from '../core/interrupt/public-types/agent-options.ts';
import type { StopReport } from '../core/interrupt/public-types/stop-report.ts';
import { stopAll, stopTurns } from '../core/interrupt/stops/aims.ts';

/**
 * A session that this registry hosts.
 *
 * @since 0.1.0
 */
export interface Session<M = string> {
  readonly id: string;
  /** Its turns and its background work. */
  readonly controller: InterruptController<M>;
  /** Stops everything that has started, and keeps the session for what comes next. */
  readonly pause: (reason?: CancelReasonLike) => Promise<StopReport>;
  /**
   * Waits until stops that were asked for before the session was opened are here, so that a turn which starts then does
   * not begin if one is for it. At once in one process; a few round trips to the engine with a bus between processes.
   *
   * @returns `false` if the engine does not say so in time, or the session is closed before it does.
   */
  readonly ready: () => Promise<boolean>;
}

/** The implementation; the registry owns it. */
export class HostedSession {
  readonly session: Session<never>;
  readonly #agent: Agent;

  constructor(id: string, options: InterruptControllerOptions, ready: () => Promise<boolean>) {
    const controller = new InterruptController<never>(options);
    this.#agent = agentOf(controller) as Agent;
    this.session = Object.freeze({
      id,
      controller,
      pause: (reason: CancelReasonLike | undefined) => this.stop(reason),
      ready,
    });
  }

  get id(): string {
    return this.session.id;
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

  /** A stop that came before there was anything to stop; it is for what starts next, until it is too old. */
  expect(reason: CancelReason, turnId: number | undefined, until: number): void {
    this.#agent.accepted.expect(reason, turnId, until);
  }

  /** Nothing more starts. */
  refuse(): void {
    this.#agent.turns.refuse();
  }

  get isBusy(): boolean {
    return this.#agent.isBusy || this.#agent.background.list().length > 0;
  }

  /** Resolves when nothing runs. */
  whenIdle(): Promise<void> {
    return this.#agent.whenEmpty();
  }

  close(reason: CancelReasonLike | undefined): Promise<StopReport> {
    return this.session.controller.close(reason);
  }
}
