/**
 * What a controller tells its listeners.
 * In the interrupt room as types of their own: the controller, its turns and its sub-agents all emit them.
 *
 * @module
 */
import type { CancelReason } from '../foundation/reason.ts';
import type { Interjection } from './interjections.ts';
import type { ToolOutcome } from './outcomes.ts';

/** Who speaks: every event says it. */
interface EventBase {
  /** The agent's name. */
  readonly agent: string;
  readonly instanceId: string;
  /** The instance that this one is a sub-agent of. */
  readonly parentId?: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What happened, without who said it. */
export type InterruptEventBody =
  /** Before any token is cancelled: for feedback at once. */
  | {
      readonly type: 'interrupt-requested';
      readonly kind: 'cancel' | 'kill' | 'interjection';
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
  | { readonly type: 'turn-started'; readonly turnId: number }
  | { readonly type: 'interjection-queued'; readonly interjection: Interjection }
  | { readonly type: 'interjection-delivered'; readonly interjection: Interjection }
  | { readonly type: 'tool-outcome'; readonly turnId: number; readonly outcome: ToolOutcome }
  /** Work that was left behind has ended after all. */
  | {
      readonly type: 'late-settled';
      readonly turnId: number;
      readonly name: string;
      readonly status: 'completed' | 'failed' | 'cancelled';
    }
  /** Exactly one per accepted turn. */
  | {
      readonly type: 'turn-ended';
      readonly turnId: number;
      readonly status: 'completed' | 'cancelled' | 'failed';
      readonly interrupted: boolean;
      readonly kind?: CancelReason['kind'];
    };

/**
 * What a controller tells its listeners, synchronously and in order.
 *
 * @since 0.1.0
 */
export type InterruptEvent = EventBase & InterruptEventBody;
