/**
 * What a stop that this node asked for is pursued with.
 *
 * @module
 */
import type { Clock } from '../../core/foundation/clock.ts';
import type { DataLoss } from '../node/engine/data-loss.ts';
import type { Exchange } from '../node/engine/exchange.ts';
import type { MemberEntry } from '../record/run-record.ts';
import type { StopAsk } from '../record/transitions.ts';

/** What a pursued stop works with. */
export interface PursuitParts {
  readonly runId: string;
  readonly ask: StopAsk;
  readonly exchange: Exchange;
  readonly clock: Clock;
  readonly loss: DataLoss;
  readonly leaseMs: number;
  /** Who works for the run in this process: known also where an engine has lost it. */
  readonly membersHere: () => readonly MemberEntry[];
  /** The longest wait between two looks. */
  readonly longestMs: number;
  /** How long it is looked after when nobody waits. */
  readonly followMs: number;
  /** Somebody has to look after it. */
  readonly wanted: () => void;
  /** Nobody has to look after it any more. */
  readonly done: () => void;
}
