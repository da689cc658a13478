/**
 * What one hosting of a run works with.
 *
 * @module
 */
import type { Clock } from '../../core/foundation/clock.ts';
import type { RunRecord } from '../record/run-record.ts';
import type { DataLoss } from './engine/data-loss.ts';
import type { Exchange } from './engine/exchange.ts';
import type { Lull } from './engine/lull.ts';
import type { Persistence } from './engine/persistence.ts';
import type { ToldStop } from './members.ts';

/** What a hosting works with. */
export interface HostedRunParts {
  readonly runId: string;
  readonly node: string;
  readonly claim: string;
  /** Its work is wanted again: stops that were asked for before are not for it. */
  readonly again: boolean;
  readonly groups: readonly string[];
  /** The hosting of this process that cleans up: what it was told so far, and when that is in the record. */
  readonly before: { readonly told: ReadonlySet<string>; readonly hasWritten: () => Promise<unknown> } | undefined;
  readonly clock: Clock;
  readonly exchange: Exchange;
  readonly persistence: Persistence;
  readonly lull: Lull;
  /** Resolves when others may rely on this node. */
  readonly leaseHeld: () => Promise<void>;
  /** Shows a record to everybody on this node whom it concerns: they share its inbox. */
  readonly show: (record: RunRecord) => void;
  readonly loss: DataLoss;
  /** Tells whoever works for it in this process of a stop that needs no engine. */
  readonly tellMembers: (stop: ToldStop) => void;
  /** It was told of a stop that was written at this instant, by the engine's time; `undefined` for one that was not. */
  readonly told: (at: number | undefined) => void;
  /** Nothing is delivered to it any more; whether it was the one of this process still. */
  readonly left: () => boolean;
  /** Another hosting has taken its place. */
  readonly taken: () => void;
}
