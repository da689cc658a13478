/**
 * What a stop did, as data: the receipt that is there at once, and the report of what was running.
 *
 * @module
 */
import type { CancelReason } from '../../foundation/reason.ts';

/**
 * What became of one operation.
 *
 * @since 0.1.0
 */
export type OperationOutcome = 'completed' | 'failed' | 'cancelled' | 'abandoned' | 'not-started' | 'detached';

/**
 * One row of a stop report.
 *
 * @since 0.1.0
 */
export interface OperationRow {
  /** `model`, `tool`, `subagent`, `turn`, `background`, or what a tool called it. */
  readonly kind: string;
  readonly name: string;
  /** The agent it belonged to. */
  readonly agent: string;
  /** `caller`: it stopped its own turn, and ends after it has this report. */
  readonly outcome: OperationOutcome | 'caller';
  /** Milliseconds from the stop to its end; for one that still runs, to giving up. */
  readonly ms: number;
}

/**
 * What a stop did. When it is there, the work is gone or named.
 *
 * @since 0.1.0
 */
export interface StopReport {
  /** `undefined` if there was nothing to stop. */
  readonly reason: CancelReason | undefined;
  readonly turnId: number | undefined;
  /** Epoch milliseconds of the first request. */
  readonly requestedAt: number;
  /** Milliseconds from the request until every listener had been told. */
  readonly acknowledgedMs: number;
  /** Milliseconds from the request until everything had ended or was given up. */
  readonly settledMs: number;
  /** One row per operation that was running, was refused, or was given up earlier and still runs. */
  readonly operations: readonly OperationRow[];
  /** The names of what is still running. Empty is what a person wants to see. */
  readonly abandoned: readonly string[];
  /** What listeners threw while they were told. */
  readonly callbackErrors: readonly unknown[];
  /** Messages that no model call saw. */
  readonly undelivered: readonly unknown[];
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
  /**
   * What happened, once everything has ended or was given up; never rejects. At once for turns that were accepted and have
   * not started: their bodies never will.
   */
  readonly settled: Promise<StopReport>;
}
