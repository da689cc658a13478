/**
 * What goes into a controller and what comes out of it: options, tickets, receipts, reports.
 * In the interrupt room as the data of `handles.ts`. Types only.
 *
 * @module
 */
import type { Clock } from '../foundation/clock.ts';
import type { CancelReason, CancelReasonJSON } from '../foundation/reason.ts';
import type { TokenLike } from '../token/handles.ts';
import type { TurnBudget } from './budget.ts';
import type { Interjection, UndeliveredPolicy } from './interjections.ts';
import type { PartialOutput, ToolOutcome } from './outcomes.ts';
import type { StopReport } from './report.ts';

/**
 * Options of `new InterruptController()`.
 *
 * @since 0.1.0
 */
export interface InterruptControllerOptions {
  /** Names the agent in events and reports; `agent` by default. */
  readonly name?: string | undefined;
  /** A cancel from outside, which ends the agent's turns like its own. */
  readonly token?: TokenLike | null | undefined;
  /** What becomes of messages that no model call saw; `return` by default. */
  readonly undelivered?: UndeliveredPolicy | undefined;
  /** Milliseconds a call may take after the stop, unless the call says otherwise; 1,000 by default. */
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
}

/**
 * Options of a sub-agent.
 *
 * @since 0.1.0
 */
export interface SubagentOptions {
  /** Lives beside the turn: only target `all` and `close()` of the parent reach it, and a stop of the session. */
  readonly detached?: boolean | undefined;
  /** Whether a stop of the sub-agent alone stops the parent's turn as well; `propagate` by default. */
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
}

/**
 * Options of `runTurn`.
 *
 * @since 0.1.0
 */
export interface RunTurnOptions {
  /** What `accept()` returned; by default the turn is accepted now. */
  readonly ticket?: TurnTicket | undefined;
  /** A cancel from outside for this turn only. */
  readonly token?: TokenLike | null | undefined;
  /** While another turn runs: refuse, wait, or cancel that one first with kind `superseded`. `reject` by default. */
  readonly whenBusy?: 'reject' | 'queue' | 'supersede' | undefined;
  /** What the turn may use up. */
  readonly budget?: TurnBudget | undefined;
}

/**
 * The answer to a stop, given at once.
 *
 * @since 0.1.0
 */
export interface StopReceipt {
  /** Whether there was anything to stop. */
  readonly accepted: boolean;
  /** The turn it concerned. */
  readonly turnId: number | undefined;
  /** What happened, once everything has ended or was left behind; never rejects. */
  readonly settled: Promise<StopReport>;
}

/**
 * What a turn came to.
 *
 * @since 0.1.0
 */
export type TurnReport<T> = (
  | { readonly status: 'completed'; readonly value: T }
  | {
      readonly status: 'cancelled';
      readonly reason: CancelReason;
      /** What the body returned all the same. */
      readonly completed?: { readonly value: T };
    }
  | { readonly status: 'failed'; readonly error: unknown }
) & {
  readonly turnId: number;
  /** Exactly one row per tool call, in the order of the calls. */
  readonly calls: readonly ToolOutcome[];
  /** What cut model calls had produced. */
  readonly partials: readonly PartialOutput[];
  /** Messages that no model call saw. */
  readonly undelivered: readonly Interjection[];
  /** Present if the turn was told to stop. */
  readonly stop?: StopReport;
  /**
   * @returns The value of a completed turn.
   * @throws CancelledError – the turn was cancelled. The body's own error – it failed.
   */
  unwrap(): T;
};

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
  /** A model call was cut for its silence and will be made again. */
  readonly canContinueAfterTimeout: boolean;
}

/**
 * What a cancel is aimed at.
 *
 * @since 0.1.0
 */
export type CancelTarget = { readonly turnId: number } | { readonly callId: string } | 'all';
