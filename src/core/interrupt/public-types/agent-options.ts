/**
 * What can be said about an agent, its turns, its sub-agents and its background work, and what it remembers.
 *
 * @module
 */
import type { Outcome } from '../../combinators/outcome.ts';
import type { OptionsOnly } from '../../foundation/check.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { CancelReason, CancelReasonLike } from '../../foundation/reason.ts';
import type { CancelReasonJSON } from '../../foundation/reason-json.ts';
import type { TokenLike } from '../../token/cancellation-token.ts';
import type { TurnBudget } from '../turn/budget.ts';
import type { UndeliveredPolicy } from './messages.ts';
import type { LateToolOutcomeJSON } from './outcomes.ts';
import type { StopReceipt } from './stop-report.ts';

/**
 * Options of `new InterruptController()`.
 *
 * @since 0.1.0
 */
export interface InterruptControllerOptions extends OptionsOnly {
  /** Names the agent in events and reports; `agent` by default. */
  readonly name?: string | undefined;
  /** A cancel from outside, which ends the agent's turns like its own. */
  readonly token?: TokenLike | null | undefined;
  /** What becomes of messages that no model call saw; `return` by default. */
  readonly undelivered?: UndeliveredPolicy | undefined;
  /**
   * Milliseconds a call may take after the stop, unless the call says otherwise; 1,000 by default. Time in which work held
   * the event loop at the end is given back, once.
   */
  readonly graceMs?: number | undefined;
  /** Measures everything of this agent; by default the outside token's clock. */
  readonly clock?: Clock | undefined;
}

/**
 * What an agent has to remember over a restart, as JSON.
 *
 * @since 0.1.0
 */
export interface AgentSnapshot {
  readonly version: 1;
  /** The stop that the model has not been told of. */
  readonly wasInterrupted?: CancelReasonJSON;
  /** A person's stop, if they have said nothing since: automatic turns wait for that. */
  readonly stoppedByPerson?: CancelReasonJSON;
  /** That was one of everything: automatic turns of detached sub-agents wait, too. */
  readonly isStopOfAll?: boolean;
  /** The late outcomes that nobody has taken. */
  readonly late?: readonly LateToolOutcomeJSON[];
}

/**
 * Options of a sub-agent.
 *
 * @since 0.1.0
 */
export interface SubagentOptions extends OptionsOnly {
  /** Lives beside the turn: only `cancelAll`, `kill` with `all`, and `close` of the parent reach it. */
  readonly detached?: boolean | undefined;
  /**
   * Whether a stop of the sub-agent alone stops the parent's turn as well. By default one of kind `user` does
   * (`propagate`), and its own limits, budget and close do not (`contain`).
   */
  readonly onChildInterrupted?: 'propagate' | 'contain' | undefined;
  /** What a message to the parent does while the sub-agent works; `forward` hands it down, the default. */
  readonly onParentInterject?: 'forward' | 'finish' | 'stop' | undefined;
}

/**
 * A prompt that exists but has not started: an early cancel sticks to it.
 *
 * @since 0.1.0
 */
export interface TurnTicket {
  /** Counts the prompts of one controller, from 1. */
  readonly id: number;
  /**
   * Stops this turn and no other: before it starts, while it runs; after its end it does nothing. One that waits in line
   * has its report by the receipt at once; `runTurn` answers when the turn in front has ended, so that turns end in order.
   */
  readonly cancel: (reason?: CancelReasonLike) => StopReceipt;
}

/**
 * Options of `runTurn`.
 *
 * @since 0.1.0
 */
export interface RunTurnOptions extends OptionsOnly {
  /** What `accept()` returned; by default the turn is accepted now. */
  readonly ticket?: TurnTicket | undefined;
  /** A cancel from outside for this turn only. */
  readonly token?: TokenLike | null | undefined;
  /**
   * While another turn runs: refuse, with code `ERR_AGENT_BUSY`, wait, or cancel that one first with kind `superseded`.
   * `reject` by default. Do not await a `queue` inside the agent's own turn: it starts when that has ended. With a `token`
   * of that turn, or with `desist/ambient` open, it is refused there; otherwise it is reported after ten seconds of nothing.
   */
  readonly whenBusy?: 'reject' | 'queue' | 'supersede' | undefined;
  /** What the turn may use up. */
  readonly budget?: TurnBudget | undefined;
  /**
   * Nobody has asked for it: a plug-in goes on with unfinished work, a timer has rung. After a person's stop – kind `user` –
   * of the agent or of one that it works for, also while nothing runs, or of one of its prompts, it is refused until they
   * have said something: the body of another turn has begun, or a message has come. One that waits in line is asked when it
   * is to start, and one that supersedes drops what waits in line only then. A stop of one call, or of a sub-agent that
   * contains it, refuses nothing; and a detached sub-agent waits for a stop of its parent only if that was one of everything.
   * `false` by default.
   */
  readonly isAutomatic?: boolean | undefined;
}

/**
 * Options of `agent.background`.
 *
 * @since 0.1.0
 */
export interface BackgroundOptions extends OptionsOnly {
  /** Milliseconds the work may take to end after a stop; the controller's by default. */
  readonly graceMs?: number | undefined;
  /** Milliseconds for the whole of it. */
  readonly timeoutMs?: number | undefined;
}

/**
 * A piece of background work.
 *
 * @since 0.1.0
 */
export interface Background<R> {
  /** Tells pieces apart that share a name. */
  readonly id: string;
  readonly name: string;
  /** What became of it; never rejects. */
  readonly outcome: Promise<Outcome<R>>;
  /** Stops this piece and nothing else, with kind `unknown` if you do not say; returns whether it was running. */
  readonly cancel: (reason?: CancelReasonLike) => boolean;
}

/**
 * What is going on, if a person or an outside token interrupted.
 *
 * @since 0.1.0
 */
export interface Interruption {
  readonly kind: 'cancel' | 'interjection';
  readonly reason: CancelReason;
  /** Epoch milliseconds. */
  readonly requestedAt: number;
  /** Whether a limit did it rather than a person. */
  readonly isTimeout: boolean;
  /** A model call ran into its limit and will be made again. */
  readonly canContinueAfterTimeout: boolean;
}
