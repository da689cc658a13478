/**
 * What can be drained, and how a drain came to its end.
 *
 * @module
 */
import type { CancellationToken } from '../../core/inside.ts';
import type { DrainReport } from '../../sessions/remote-receipt.ts';
import type { DrainSignal } from './process-drains.ts';

/**
 * What can be drained: a `SessionRegistry`, or anything that drains likewise.
 *
 * @since 0.1.0
 */
export interface DrainTarget {
  /**
   * Starts nothing new, lets what runs end, stops the rest.
   *
   * @param options How long to let work end by itself; a token that ends the waiting with its cancel, and every grace
   * with its kill; whether what it stops may be tried again.
   * @returns What it came to, once that is written where others look for it.
   */
  drain(options: {
    readonly timeoutMs: number;
    readonly token: CancellationToken;
    readonly willRetry: boolean;
  }): Promise<DrainReport>;
}

/**
 * How a drain came to its end.
 *
 * @since 0.1.0
 */
export interface DrainEnd {
  /** The first signal. */
  readonly signal: DrainSignal;
  /** A second signal hurried it. */
  readonly wasKilled: boolean;
  /** What became of the sessions; `undefined` if the target failed. */
  readonly report: DrainReport | undefined;
}
