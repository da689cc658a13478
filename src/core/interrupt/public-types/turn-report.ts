/**
 * What a turn came to, as data.
 *
 * @module
 */
import type { CancelReason } from '../../foundation/reason.ts';
import type { Interjection } from './messages.ts';
import type { PartialOutput, ToolOutcome } from './outcomes.ts';
import type { StopReport } from './stop-report.ts';

/**
 * What a turn came to.
 *
 * @since 0.1.0
 */
export type TurnReport<T, M = unknown> = (
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
  /** What cut model calls had produced; {@link PartialOutput} shows how to narrow it. */
  readonly partials: readonly PartialOutput[];
  /** What became of each `turn.step`, in the order of their ends; present if there was one. No model is told of it. */
  readonly steps?: readonly ToolOutcome[];
  /** Messages that no model call saw. */
  readonly undelivered: readonly Interjection<M>[];
  /** Names what was given up in this turn or before and still ran at its end, if anything did. */
  readonly abandoned?: readonly string[];
  /** Present if the turn was told to stop; not where only calls of it were, by `cancelCall` or by limits of their own. */
  readonly stop?: StopReport;
  /**
   * @returns The value of a completed turn.
   * @throws CancelledError – the turn was cancelled. The body's own error – it failed.
   */
  unwrap(): T;
};
