/**
 * What happened to one piece of work, as data. Prior art: Trio's `outcome`, `Promise.allSettled`.
 *
 * @module
 */
import type { AbandonedWork } from '../foundation/results/abandoned-work.ts';
import type { CancelReason } from '../foundation/reason.ts';

/**
 * What work did in the end, as far as it has ended: that of work that was left behind comes late.
 *
 * @since 0.1.0
 */
export type LateOutcome<T> =
  | {
      readonly status: 'completed';
      readonly value: T;
      /** It returned after it had been told to stop; what it did is real, all the same. */
      readonly afterStop?: true;
    }
  | { readonly status: 'failed'; readonly error: unknown }
  | {
      readonly status: 'cancelled';
      readonly reason: CancelReason;
      /** What was finished before the stop was noticed, if anything was. */
      readonly completed?: { readonly value: unknown };
      /** Names what the work itself had to leave behind, if anything. */
      readonly abandoned?: AbandonedWork;
    };

/**
 * What happened to one piece of work.
 *
 * `completed` it returned · `failed` it threw · `cancelled` it was told to stop and did · `abandoned` it was told to
 * stop and had not done so when the grace was over: it may still be running, its effects are unknown.
 *
 * @source Trio `outcome`
 * @since 0.1.0
 */
export type Outcome<T> =
  | LateOutcome<T>
  | {
      readonly status: 'abandoned';
      readonly reason: CancelReason;
      /** What it had committed before it was left behind, if anything. */
      readonly completed?: { readonly value: unknown };
      /** The name of the work, for reports. */
      readonly name: string;
      /** Resolves when the work ends after all; never rejects. */
      readonly late: Promise<LateOutcome<T>>;
    };
