/**
 * What a stop that this node asked for is pursued with.
 *
 * @module
 */
import type { Clock } from '../../core/foundation/clock.ts';
import type { DataLoss } from '../node/engine/data-loss.ts';
import type { Exchange } from '../node/engine/exchange.ts';
import type { MemberEntry, RunRecord } from '../record/run-record.ts';
import type { Step } from '../record/step-result.ts';
import type { Asked, StopAsk } from '../record/ask-stop.ts';
import type { Came } from './look-out.ts';

/**
 * Asks for a stop.
 *
 * @param record What the record is by then: others may be asked for by the same write.
 * @param found What it was before any of them.
 */
export type AskStep = (record: RunRecord | undefined, now: number, found: RunRecord | undefined) => Step<Asked>;

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
  /** How long it is looked after when nobody waits. */
  readonly followMs: number;
  /** Writes it; `isWanted` is asked when it is about to be sent. */
  readonly write: (step: AskStep, isWanted: () => boolean) => Promise<Asked>;
  /** Somebody has to look after it, and why. */
  readonly follow: (came?: Came) => void;
  /** Nobody has to look after it any more. */
  readonly done: () => void;
}
