/**
 * What a stop of one hosting is to the hosting that comes next.
 *
 * Invariants: D10, what stopped an attempt stops the next one · a stop that names a hosting is for no other, and waits for one that
 * is not back yet.
 *
 * @module
 */
import { isFinal, type RunRecord, type StopEntry } from './run-record.ts';

/** The hosting that stops are carried over to. */
export interface NextHosting {
  readonly epoch: number;
  readonly told: ReadonlySet<string> | undefined;
  /** Stops that are not for it, by the ids that they had when they were asked for. */
  readonly past?: ReadonlySet<string> | undefined;
  /** Since when it is wanted: stops that were asked for at this instant or before are not for it. */
  readonly since?: number;
  /** Epoch milliseconds of the engine's clock, where what nobody was told of in time is too old. */
  readonly now?: number;
}

/** The id of a stop that is handed on to the next hosting. */
export function handedOnId(id: string, epoch: number): string {
  return `${id}+${String(epoch)}`;
}

/** Whether a stop with this id was handed on from one with the other, once or more often. */
export function isHandedOn(id: string, from: string): boolean {
  return id.startsWith(`${from}+`);
}

/** The id that a stop had when it was asked for, however often it was handed on since. */
export function originOf(id: string): string {
  return id.replace(/(?:\+\d+)+$/, '');
}

/** What a stop is to the next hosting. */
export function carryOver(
  stop: StopEntry,
  record: RunRecord,
  { epoch, told, past, since = -Infinity, now = -Infinity }: NextHosting,
): readonly StopEntry[] {
  // What ended for good has taken along what was asked of it, also where that is not said to be over yet.
  const isOfAny = record.state !== 'settled' && (stop.turnId === undefined || record.epoch === 0);
  // What has a report has ended, though a loss of records keeps it from being said to be over.
  const hasEnded = isFinal(stop) || stop.report !== undefined;
  const isOfAttempt = stop.holds === true && !hasEnded && record.state !== 'settled';
  const isNext = stop.only === undefined ? isOfAny : stop.only === epoch;
  const origin = originOf(stop.id);
  const isOfNow = stop.at > since && past?.has(origin) !== true;
  const isTooOld = stop.phase === 'requested' && stop.id === origin && stop.at + (stop.keptMs ?? Infinity) <= now;
  const isForNext = (isOfAttempt || isNext) && isOfNow && !isTooOld;
  // Each hosting counts its turns itself.
  const anew = stop.only === undefined ? { given: undefined } : {};
  if (stop.phase === 'requested' && !isOfAttempt)
    return isForNext || (isForLater(stop, epoch) && !isTooOld)
      ? [{ ...stop, ...anew }]
      : [{ ...stop, phase: 'superseded' }];
  // D10: what stopped an attempt stops the next one, also where its host died before it could say that the work has ended: then its
  // asker hears of that one.
  const isOver = isFinal(stop);
  const isSticky = isForNext && (!hasEnded || (record.state === 'pending' && stop.phase !== 'superseded'));
  const aim = isOfAttempt ? { turnId: undefined, only: undefined, holds: undefined } : {};
  const copy: StopEntry = {
    ...{ ...stop, id: handedOnId(stop.id, epoch), phase: 'requested', report: undefined, ...anew, ...aim },
  };
  // Handed on once, by the attempt that it stopped.
  const own = record.epoch === 0 ? stop : { ...stop, only: stop.only ?? record.epoch };
  const over: StopEntry = isOver ? own : { ...stop, phase: 'superseded' };
  return isSticky && told?.has(origin) !== true ? [over, copy] : [over];
}

/** Whether it is of a hosting that comes later than this one: the engine has lost that, and it is not back yet. */
export function isForLater({ only }: StopEntry, epoch: number): boolean {
  return only !== undefined && only > epoch;
}
