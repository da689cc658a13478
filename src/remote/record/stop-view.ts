/**
 * What a record says of one stop to whoever asked for it.
 *
 * Invariant: D5, never more than is known. `runner-dead` is derived from a lease that lapsed and is never stored.
 *
 * @module
 */
import type { StopStatus } from '../../sessions/stop-bus.ts';
import { findStop, type RunRecord, type StopEntry } from './run-record.ts';

/** What is known of a stop. */
export interface StopView {
  /** `lost`: the record does not know of it any more. */
  readonly status: StopStatus | 'lost';
  readonly stop?: StopEntry | undefined;
  /** The nodes that must be alive for anything more to come. */
  readonly nodes: readonly string[];
}

/** What the record says of the stop that a request became. */
export function viewStop(record: RunRecord | undefined, requestId: string): StopView {
  const stop = record === undefined ? undefined : findStop(record, requestId);
  if (record === undefined || stop === undefined) return { status: 'lost', nodes: [] };
  // A hosting that the record does not know yet, or not any more, is waited for as the first one is.
  const isHosted = record.node !== '' && (stop.only ?? record.epoch) <= record.epoch;
  const host = isHosted ? [record.node] : [];
  switch (stop.phase) {
    case 'requested':
      return { status: host.length === 0 ? 'pending' : 'requested', stop, nodes: host };
    case 'observed':
      return { status: 'observed', stop, nodes: host };
    case 'superseded':
      return { status: 'superseded', stop, nodes: [] };
    case 'settled': {
      const nodes = stop.members.map(({ node }) => node);
      if (nodes.length === 0) return { status: 'settled', stop, nodes };
      // The host's part is over; without a report nobody knows whether anybody was told.
      return { status: stop.report === undefined ? 'requested' : 'observed', stop, nodes };
    }
  }
}
