/**
 * What happened to each tool call and to each cut model call, as data.
 * In the interrupt room because a turn's ledger produces these rows; in a file of its own because transcripts and
 * reports read them without needing the machine.
 * Prior art: Trio's `outcome`, `Promise.allSettled`.
 *
 * @module
 */
import type { CancelReason } from '../foundation/reason.ts';

/**
 * The seven words of the tool ledger.
 *
 * `completed` it returned · `failed` it threw · `not-started` the stop came first · `stopped` it was stopped part-way ·
 * `unknown` it did not react and may still be running · `skipped` a newer message came first · `declined` the person
 * said no to this call.
 *
 * @since 0.1.0
 */
export type ToolStatus = 'completed' | 'failed' | 'not-started' | 'stopped' | 'unknown' | 'skipped' | 'declined';

/** What every row of the ledger says. */
interface ToolOutcomeBase<C> {
  /** The provider's id of the call. */
  readonly id: string;
  /** The tool's name. */
  readonly name: string;
  /** The call as it was given. */
  readonly call: C;
  /** Milliseconds from start to outcome; 0 for a call that never started. */
  readonly ms: number;
}

/**
 * Exactly one per call.
 *
 * @since 0.1.0
 */
export type ToolOutcome<R = unknown, C = unknown> = ToolOutcomeBase<C> &
  (
    | { readonly status: 'completed'; readonly value: R }
    | { readonly status: 'failed'; readonly error: unknown }
    | { readonly status: 'not-started' | 'skipped'; readonly reason: CancelReason }
    | {
        readonly status: 'stopped' | 'unknown';
        readonly reason: CancelReason;
        /** What the tool had produced, if it told. */
        readonly partial?: unknown;
        /** The name of the sub-agent that was interrupted by itself, if that is why. */
        readonly by?: string;
      }
    | { readonly status: 'declined'; readonly message?: string }
  );

/**
 * What a cut model call had produced before it was cut.
 *
 * @since 0.1.0
 */
export interface PartialOutput {
  /** Which model call of the turn, from 1. */
  readonly modelCall: number;
  /** The last value given to `ctx.partial`, or what the cut call returned. */
  readonly value: unknown;
  /** What cut it. */
  readonly reason: CancelReason;
}
