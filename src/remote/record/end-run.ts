/**
 * The end of a hosting, as its record has it.
 *
 * Invariants: D5, the end of a run is a stop of whoever works for it, and where an engine has just lost who that is, its stops are over
 * later than the run · D7, a hosting that was replaced ends nothing · D10, an attempt
 * that is to be tried again leaves its stops to the next one.
 *
 * @module
 */
import type { CancelReason } from '../../core/foundation/reason.ts';
import { isForLater } from './hand-on.ts';
import { isNamed, withEnd } from './membership.ts';
import { isFinal, unhosted } from './run-record.ts';
import type { RunRecord, StopEntry } from './run-record.ts';
import type { Step } from './step-result.ts';
import { askers, assertHosting, type Held, type HostingState } from './transitions.ts';

/**
 * Ends a hosting.
 *
 * @param why The reason of an end for good; `retry`: the run may be claimed again.
 * @param isUnsure Whether an engine has just lost who works for it: whoever of them comes back finds the end.
 * @returns `early`: its stops may not be said to be over yet. It has to be ended again, and until then its node is to answer.
 */
export function endRun(
  given: RunRecord | undefined,
  hosting: HostingState,
  why: CancelReason | 'retry',
  isUnsure = false,
): Step<Held | 'early'> {
  const isEarly = isUnsure && hosting.stops.length > 0;
  const result = isEarly ? 'early' : 'mine';
  const hasEnded = given?.claim === hosting.claim && given.state !== 'running';
  // Nothing is left to be done, or not yet; perhaps by a write whose answer was lost.
  if (hasEnded && (isEarly || given.node === '')) return { record: undefined, result };
  const held = assertHosting(hasEnded ? { ...given, state: 'running' } : given, hosting);
  const record = held.record ?? given;
  if (held.result === 'taken' || record === undefined) return { record: undefined, result: 'taken' };
  const willRetry = typeof why === 'string';
  const stops = record.stops.map((stop) =>
    isEarly || isForLater(stop, record.epoch) ? stop : endStop(stop, why, record.epoch, hosting.given),
  );
  const isTold = willRetry || hasEnded;
  const untold = isTold ? [] : record.members.filter((member) => !stops.some((stop) => isNamed(stop, member)));
  const next: RunRecord = {
    ...record,
    ...(willRetry ? { state: 'pending' } : { state: 'settled', groups: [] }),
    node: isEarly ? hosting.node : '',
    stops: isTold || (!isUnsure && untold.length === 0) ? stops : withEnd(stops, hosting, why, untold),
  };
  // Whoever wrote itself down in between, while an engine had lost the record, has to be told as well.
  const inboxes = new Set([...(held.inboxes ?? []), ...untold.map(({ node }) => node)]);
  return { record: next, inboxes: [...inboxes], hints: askers(given ?? unhosted, next), result };
}

/**
 * The work of this hosting is over, so what was told to it is settled. What was not told waits for the next one, unless it named this
 * one, or a turn of it; what was told does, unless more was begun after it.
 */
function endStop(stop: StopEntry, why: CancelReason | 'retry', epoch: number, given: number | undefined): StopEntry {
  if (typeof why !== 'string') return isFinal(stop) ? stop : { ...stop, phase: 'settled' };
  const isNamed = stop.only !== undefined || stop.turnId !== undefined;
  if (stop.phase === 'requested') return isNamed ? { ...stop, phase: 'superseded' } : stop;
  const over: StopEntry = isFinal(stop) ? stop : { ...stop, phase: 'settled' };
  return (stop.given ?? Infinity) >= (given ?? 0) ? over : { ...over, only: over.only ?? epoch };
}
