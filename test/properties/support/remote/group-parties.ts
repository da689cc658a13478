/**
 * Who takes part in stops of groups, as whoever watches from outside knows them.
 *
 * @module
 */
import type { RemoteStopBus } from '../../../../src/remote/index.ts';
import type { Hosting, StopProgress } from '../../../../src/sessions/index.ts';
import type { PausedClock } from './paused-clock.ts';

/** A session, as the application hosts it. */
export interface Hosted {
  readonly runId: string;
  readonly claim: string;
  readonly groups: readonly string[];
  /** When somebody began to host it, in the order of everything. */
  readonly beganAt: number;
  readonly told: string[];
  /** When the engine knew of it first, in the order of everything. */
  claimedAt: number | undefined;
  isLive: boolean;
  /** When its work was ended because nobody could trust its process any more. */
  fencedAt: number;
  /** The engine had given its run to somebody else. */
  wasReplaced: boolean;
}

/** What is known of the stop of one session. */
export interface KnownStop {
  readonly sessionId: string;
  progress: StopProgress | 'unconfirmed' | undefined;
}

/** A stop of a group that somebody asked for. */
export interface GroupStop {
  readonly name: string;
  readonly group: string;
  readonly node: string;
  /** Who hosted a run of the group when the engine made the list, by its own log; of several lists, all that agree. */
  meant: ReadonlySet<string> | undefined;
  /** The runs of the group that the engine had just lost when it made the list, and whose hosts lived. */
  missing: readonly string[];
  /** When it was answered, in the order of everything. */
  answeredAt: number;
  isComplete: boolean;
  readonly stops: KnownStop[];
}

/** One process. */
export interface Process {
  readonly name: string;
  readonly node: string;
  readonly clock: PausedClock;
  readonly bus: RemoteStopBus;
  readonly open: Map<string, { readonly tie: Hosting; readonly hosted: Hosted }>;
  isDead: boolean;
}
