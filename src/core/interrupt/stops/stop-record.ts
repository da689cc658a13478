/**
 * What a turn was told to stop by: the one place that says which stop came first.
 *
 * Invariants: the first stop counts and is never replaced; it is written down here, and in the turns that are part of the
 * turn, before anybody hears of it; a kill is added to it once.
 *
 * @module
 */
import type { CancelReason } from '../../foundation/reason.ts';

/** The two rungs. */
export type StopKind = 'cancel' | 'kill';

/** The stop of one turn. */
export class StopRecord {
  /** What its tokens say, or are about to say. */
  readonly reason: CancelReason;
  readonly requestedAt: number;
  /** The stop that somebody asked for: none as long as only the body of the turn has failed. */
  askedFor: CancelReason | undefined;
  /** The kill that came first. */
  killedBy: CancelReason | undefined;
  /** When every listener had been told. */
  acknowledgedAt: number;
  /** Whether those who watch operations have been told. */
  isSaid = false;

  constructor(reason: CancelReason, askedFor: CancelReason | undefined, requestedAt: number) {
    this.reason = reason;
    this.askedFor = askedFor;
    this.requestedAt = requestedAt;
    this.acknowledgedAt = requestedAt;
  }
}
