/**
 * What a controller tells its listeners.
 *
 * @module
 */
import type { OptionsOnly } from '../../foundation/check.ts';
import type { CancelReason } from '../../foundation/reason.ts';
import type { Interjection } from './messages.ts';
import type { ToolOutcome } from './outcomes.ts';
import type { OperationOutcome } from './stop-report.ts';

/** Which agent an event is about: every event says it. */
interface EventBase {
  /** The agent's name. */
  readonly agent: string;
  readonly instanceId: string;
  /** The instance that this one is a sub-agent of. */
  readonly parentId?: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What happened, without which agent it happened to. */
export type InterruptEventBody =
  /**
   * A stop or a message was asked for; before a token tells its listeners, for feedback at once. One per stop at a listener
   * of the root, however many agents it reaches.
   */
  | {
      readonly type: 'interrupt-requested';
      readonly kind: 'cancel' | 'kill' | 'interjection';
      /** What was asked for with; a kill after a cancel has its own here, where token and reports keep that of the cancel. */
      readonly reason: CancelReason;
    }
  /** For each sub-agent that the stop reached. */
  | {
      readonly type: 'interrupt-propagated';
      readonly child: string;
      readonly childId: string;
      readonly reason: CancelReason;
    }
  | { readonly type: 'turn-accepted'; readonly turnId: number }
  /** Said also of a turn that was stopped before it began: `turn-ended` follows, and its body never runs. */
  | { readonly type: 'turn-started'; readonly turnId: number }
  | { readonly type: 'interjection-queued'; readonly interjection: Interjection }
  | {
      readonly type: 'interjection-delivered';
      readonly interjection: Interjection;
      readonly turnId: number;
      /** The model call that was shown it, as its context counts: it stands behind the reply before that one. */
      readonly modelCall: number;
    }
  | { readonly type: 'tool-outcome'; readonly turnId: number; readonly outcome: ToolOutcome }
  /** A running call was sent to the background. */
  | { readonly type: 'call-detached'; readonly turnId: number; readonly callId: string; readonly name: string }
  | { readonly type: 'background-started'; readonly id: string; readonly name: string }
  | {
      readonly type: 'background-ended';
      readonly id: string;
      readonly name: string;
      readonly status: 'completed' | 'failed' | 'cancelled' | 'abandoned';
    }
  /** A model call ran into its own limit: it is made again, or nobody asked for that. */
  | {
      readonly type: 'model-timed-out';
      readonly turnId: number;
      readonly reason: CancelReason;
      readonly canContinueAfterTimeout: boolean;
    }
  /** A model call is made again after it ran into its own limit. */
  | {
      readonly type: 'model-retried';
      readonly turnId: number;
      /** Counts the new attempts of this call, from 1. */
      readonly attempt: number;
      readonly reason: CancelReason;
    }
  /** Work that was given up has ended after all. */
  | {
      readonly type: 'late-settled';
      /** The turn it belonged to; nothing for background work that no turn started. */
      readonly turnId: number | undefined;
      readonly name: string;
      readonly status: 'completed' | 'failed' | 'cancelled';
    }
  /** A guarded tool was called, and no turn was found for it although turns run. */
  | { readonly type: 'unledgered'; readonly name: string }
  /** The body of a turn has returned or thrown, and these operations of it still run. */
  | { readonly type: 'body-ended'; readonly turnId: number; readonly running: readonly string[] }
  /** Exactly one per accepted turn, and the last event of it. */
  | {
      readonly type: 'turn-ended';
      readonly turnId: number;
      readonly status: 'completed' | 'cancelled' | 'failed';
      readonly interrupted: boolean;
      /** Present if the turn was cancelled. */
      readonly reason?: CancelReason;
      readonly kind?: CancelReason['kind'];
      /** Milliseconds from its start to its end. */
      readonly ms: number;
    }
  | OperationEventBody;

/** The way of each operation, for listeners that ask for it with `operations: true`. */
export type OperationEventBody =
  /** A model call, a tool call, a sub-agent's turn or tracked work has a row from here on. */
  | {
      readonly type: 'operation-started';
      readonly turnId: number;
      readonly operationId: string;
      /** `model`, `tool`, `subagent`, or what a tool called it. */
      readonly operationKind: string;
      readonly name: string;
    }
  /** It is told to stop. */
  | {
      readonly type: 'operation-stopping';
      readonly turnId: number;
      readonly operationId: string;
      readonly reason: CancelReason;
    }
  /** It has ended, or was given up: then a second one, with `isLate`, says its end. */
  | {
      readonly type: 'operation-ended';
      readonly turnId: number;
      readonly operationId: string;
      readonly outcome: OperationOutcome;
      readonly isLate?: true;
    }
  /** A turn is told to stop. */
  | { readonly type: 'turn-stopping'; readonly turnId: number; readonly reason: CancelReason };

/**
 * What a listener of a controller wants to hear.
 *
 * @since 0.1.0
 */
export interface EventOptions extends OptionsOnly {
  /** Also the events of each operation: what started, was told to stop and ended, and when. */
  readonly operations?: boolean | undefined;
}

/**
 * What a controller tells its listeners, synchronously and in order.
 *
 * @since 0.1.0
 */
export type InterruptEvent = EventBase & InterruptEventBody;
