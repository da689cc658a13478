/**
 * One conversation that this process hosts: a controller for its turns, and executions for what is no turn.
 * In the interrupt room between the controller and the registry.
 *
 * Invariants: a stop reaches every execution and turn that was there when it came, and none that came later; one that
 * came before the first reaches the first.
 *
 * @module
 */
import type { CancelReason, CancelReasonInit } from '../foundation/reason.ts';
import type { CancellationToken } from '../token/handles.ts';
import { Source, childOf } from '../token/source.ts';
import type { Controller } from './controller.ts';
import type { InterruptController } from './handles.ts';
import type { StopReport } from './report.ts';

/**
 * One piece of a session's work: a request, a job. A new one has a token of its own.
 *
 * @since 0.1.0
 */
export interface Execution {
  /** Counts the executions of one session, from 1. */
  readonly id: number;
  readonly token: CancellationToken;
  readonly signal: AbortSignal;
  /** It is over; without a call of this, `drain` waits for it. */
  end(): void;
  /** The same as `end()`, for `using`. */
  [Symbol.dispose](): void;
}

/**
 * One conversation, hosted here.
 *
 * @since 0.1.0
 */
export interface Session {
  readonly id: string;
  readonly controller: InterruptController;
  /**
   * Begins a piece of work; a stop that came before the session was opened is there already.
   *
   * @throws TypeError – the session is closed, or the registry drains.
   */
  startExecution(): Execution;
  /** Stops everything that has started, and keeps the session for what comes next. */
  pause(reason?: CancelReasonInit | string): Promise<StopReport>;
}

/** An execution that has not ended. */
interface Running {
  readonly source: Source;
  readonly ended: Promise<void>;
}

/** The implementation; the registry owns it. */
export class HostedSession implements Session {
  readonly id: string;
  readonly controller: Controller;
  readonly #running = new Set<Running>();
  #count = 0;
  #refused: string | undefined;
  #expected: CancelReason | undefined;

  constructor(id: string, controller: Controller) {
    this.id = id;
    this.controller = controller;
  }

  startExecution(): Execution {
    if (this.#refused !== undefined) throw new TypeError(this.#refused);
    const source = new Source(childOf(this.controller.token));
    const { token } = source;
    let over: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      over = resolve;
    });
    const running: Running = { source, ended };
    this.#running.add(running);
    const end = (): void => {
      source.release();
      this.#running.delete(running);
      over();
    };
    if (this.#expected !== undefined) source.cancel(this.#expected);
    this.#expected = undefined;
    return {
      id: ++this.#count,
      token,
      get signal() {
        return token.signal;
      },
      end,
      [Symbol.dispose]: end,
    };
  }

  pause(init?: CancelReasonInit | string): Promise<StopReport> {
    return this.stop(init);
  }

  /** One turn, or everything there is: executions and detached agents hang on the controller's life, which this ends. */
  stop(init?: CancelReasonInit | string, turnId?: number): Promise<StopReport> {
    return this.controller.cancel(init, turnId === undefined ? 'all' : { turnId }).settled;
  }

  /** A stop that came before there was anything to stop. */
  expect(reason: CancelReason, turnId: number | undefined): void {
    if (turnId === undefined) this.#expected = reason;
    this.controller.accepted.expect(reason, turnId);
  }

  /** Nothing more starts, and `text` says why. */
  refuse(text: string): void {
    this.#refused = text;
    this.controller.refuseTurns();
  }

  get isBusy(): boolean {
    return this.#running.size > 0 || this.controller.isBusy;
  }

  /** Resolves when nothing runs. */
  async whenIdle(): Promise<void> {
    await Promise.all([this.controller.whenEmpty(), ...[...this.#running].map(({ ended }) => ended)]);
  }
}
