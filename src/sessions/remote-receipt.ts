/**
 * What a stop by id is asked with and answered with, and what a drain came to.
 *
 * @module
 */
import type { OptionsOnly } from '../core/foundation/check.ts';
import type { CancelReason } from '../core/foundation/reason.ts';
import type { StopReport } from '../core/interrupt/public-types/stop-report.ts';
import type { StopStatus } from './stop-bus.ts';

/**
 * Options of `registry.cancel`.
 *
 * @since 0.1.0
 */
export interface SessionCancelOptions extends OptionsOnly {
  /** One turn, and no other; one that is still to come is stopped when it is accepted, and the stop is `observed` till then. */
  readonly turnId?: number | undefined;
  /** How far to wait; `requested`, not at all, by default. */
  readonly wait?: 'requested' | 'observed' | 'settled' | undefined;
  /** `kill` ends the graces of everything at once; `cancel` by default. */
  readonly level?: 'cancel' | 'kill' | undefined;
  /** One hosting of the session, as an earlier receipt named it; a newer one is not touched, but for a retry of what this has stopped. */
  readonly epoch?: number | undefined;
  /** Milliseconds to wait at most, 10,000 by default; then the receipt says `timedOut`, with the last that is known. */
  readonly timeoutMs?: number | undefined;
}

/**
 * How far a stop by id came. Asked is not stopped: only `settled` says that the work is gone or named, or, where `report`
 * has no `reason`, that there was nothing to stop.
 *
 * @since 0.1.0
 */
export interface RemoteReceipt {
  readonly sessionId: string;
  readonly status: StopStatus;
  readonly timedOut: boolean;
  /** The first reason that its work was stopped with, as far as is known: for certain with a `report`. */
  readonly reason: CancelReason;
  /**
   * Which hosting of the session `status` is of, where the bus counts them: for `cancel(id, reason, { epoch })`. Of an earlier one, which
   * was told and then replaced, nothing is known: it ends its work as `superseded`, and says so to nobody.
   */
  readonly epoch?: number;
  /** With `settled`, where the host could tell. */
  readonly report?: StopReport;
}

/**
 * How far a stop of a group came.
 *
 * @since 0.1.0
 */
export interface GroupReceipt {
  readonly group: string;
  /**
   * Whether these are all; if not, the bus could not say whom the group has, and somebody has to ask again: the engine did not answer, is
   * new, or has just lost what it knew.
   */
  readonly isComplete: boolean;
  /** One for each session that is meant, as if it alone had been stopped; two of one that another process is just taking over. */
  readonly receipts: readonly RemoteReceipt[];
}

/**
 * What a drain came to.
 *
 * @since 0.1.0
 */
export interface DrainReport {
  /** Sessions that ended in time and left nothing behind, or had nothing to do. */
  readonly finished: readonly string[];
  /**
   * Sessions of which something was stopped in the drain, by whomever, or left behind, with what became of their turns. One call of a
   * turn that went on is no such thing, nor is what was given only then: its `outcome` says that it never began.
   */
  readonly stopped: readonly { readonly sessionId: string; readonly report: StopReport }[];
  /** Those of both whose end the bus could not write, where there are any: to others they are as if this process had died. */
  readonly unconfirmed?: readonly string[];
}
