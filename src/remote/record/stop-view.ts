/**
 * What a record says of one stop to whoever asked for it.
 *
 * Invariant: D5, never more than is known. `runner-dead` is derived from a lease that lapsed and is never stored.
 *
 * @module
 */
import type { CancelReason } from '../../core/foundation/reason.ts';
import type { StopStatus } from '../../sessions/stop-bus.ts';
import { isHandedOn } from './hand-on.ts';
import { findStop, type RunRecord, type StopEntry } from './run-record.ts';

/** What is known of a stop. */
export interface StopView {
  /** `lost`: the record does not know of it any more. */
  readonly status: StopStatus | 'lost';
  readonly stop?: StopEntry | undefined;
  /** The hosting that this is of, if it is of one. */
  readonly epoch?: number | undefined;
  /** The reason that counts for it. */
  readonly reason?: CancelReason | undefined;
  /** The nodes that must be alive for anything more to come. */
  readonly nodes: readonly string[];
}

/** What the record says of the stop that a request became. */
export function viewStop(record: RunRecord | undefined, requestId: string): StopView {
  const held = record === undefined ? undefined : heldStop(record, requestId);
  if (record === undefined || held === undefined) return { status: 'lost', nodes: [] };
  const state = stateOf(held, record);
  // What waits for whoever comes next is of nobody yet.
  const epoch = held.only ?? (state.status === 'pending' ? undefined : record.epoch);
  return { stop: held, epoch, reason: reasonFor(held, record), ...state };
}

/** The stop, or what it is now: its host has not ended it, and it was handed on to the next one. */
function heldStop(record: RunRecord, requestId: string): StopEntry | undefined {
  const own = findStop(record, requestId);
  const id = own?.id ?? requestId;
  const isOver = own === undefined || own.phase === 'superseded';
  const heir = isOver ? record.stops.filter((each) => isHandedOn(each.id, id)).at(-1) : undefined;
  return heir === undefined ? own : { ...heir, id };
}

/**
 * The stop in whose name another one goes on, where it has taken its place: told later to the same, so that this one is over by then.
 * One that may have been told before it was written takes nobody's place; it stands there only where this one was over.
 */
export function heirOf(
  {
    turnId,
    level,
    epoch: mine,
    at = Infinity,
  }: Pick<StopEntry, 'turnId' | 'level'> & Partial<Record<'epoch' | 'at', number | undefined>>,
  { epoch, stops }: RunRecord,
): StopEntry | undefined {
  const isOfMine = ({ only = epoch, phase }: StopEntry): boolean => only === mine && phase !== 'superseded';
  const later = stops.filter((stop) => {
    const isAsHard = level === 'cancel' || stop.level === 'kill';
    return isOfMine(stop) && isAsHard && stop.turnId === turnId && stop.at >= at;
  });
  return later.filter(({ mayBeTold }) => mayBeTold !== true).at(-1) ?? later.at(-1);
}

function stateOf(stop: StopEntry, record: RunRecord): Pick<StopView, 'status' | 'nodes'> {
  // A hosting that the record does not know yet, or not any more, is waited for as the first one is.
  const isHosted = record.node !== '' && (stop.only ?? record.epoch) <= record.epoch;
  const host = isHosted ? [record.node] : [];
  switch (stop.phase) {
    case 'requested':
      return { status: host.length === 0 ? 'pending' : 'requested', nodes: host };
    case 'observed':
      return { status: 'observed', nodes: host };
    case 'superseded':
      return { status: 'superseded', nodes: [] };
    case 'settled': {
      const nodes = stop.members.map(({ node }) => node);
      if (nodes.length === 0) return { status: 'settled', nodes };
      // The host's part is over; without a report nobody knows whether anybody was told.
      return { status: stop.report === undefined ? 'requested' : 'observed', nodes };
    }
  }
}

/** A hosting is told all that came before it at once, in their order: it is the first that stops what one of them was for. */
function reasonFor(stop: StopEntry, { state, epoch, stops }: RunRecord): CancelReason {
  const isOfIt = ({ at, only }: StopEntry): boolean =>
    state === 'pending' ? only === undefined : at < epoch && (only ?? epoch) === epoch;
  const isEarly = (each: StopEntry): boolean => isOfIt(each) && each.phase !== 'superseded' && each.mayBeTold !== true;
  const first = isEarly(stop) ? stops.find((each) => each.turnId === stop.turnId && isEarly(each)) : undefined;
  return (first ?? stop).reason;
}
