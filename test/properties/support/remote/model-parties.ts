/**
 * Who takes part in stops, as whoever watches from outside knows them.
 *
 * @module
 */
import type { StopProgress } from '../../../../src/sessions/index.ts';
import type { StopRequest } from '../../../../src/sessions/stop-bus.ts';

/** A hosting, as the application sees it. */
export interface ModelHosting {
  readonly runId: string;
  readonly node: string;
  readonly claim: string;
  /** The stops it was told, by name and level. */
  readonly told: string[];
  /** When it was told last, by name. */
  readonly toldAt: Map<string, number>;
  readonly reported: Set<string>;
  /** Known to the engine under this number. */
  epoch: number | undefined;
  state: 'live' | 'released' | 'superseded' | 'dead';
  willRetry: boolean;
  fencedAt: number;
}

/** A stop that somebody asked for. */
export interface ModelStop {
  readonly name: string;
  readonly runId: string;
  readonly from: string;
  readonly request: StopRequest;
  readonly askedAt: number;
  readonly hostedBefore: readonly ModelHosting[];
  /** Whether the engine knew of one of them. */
  wasHosted: boolean;
  readonly lossesBefore: number;
  progress: StopProgress | undefined;
  isRefused: boolean;
}

/** A process that works for a run. */
export interface ModelMember {
  readonly runId: string;
  readonly node: string;
  readonly id: () => string;
  readonly isCancelled: () => boolean;
  isHere: boolean;
}
