/**
 * What taking a step on a record leads to.
 *
 * @module
 */
import type { RunRecord } from './run-record.ts';

/** What a step leads to. */
export interface Step<R> {
  /** The next record; the same object where nothing changes, `undefined` where nothing is to be written. */
  readonly record: RunRecord | undefined;
  /** Nodes that have something to do. */
  readonly inboxes?: readonly string[];
  /** Nodes that may want to know. */
  readonly hints?: readonly string[];
  readonly result: R;
}
