/**
 * The processes that work for a run without hosting it, as its record names them.
 *
 * Invariant: a stop waits for everybody who was told of it, or will be, until they have left.
 *
 * @module
 */
import { concerns, isFinal, unhosted } from './run-record.ts';
import type { MemberEntry, RunRecord, StopEntry } from './run-record.ts';
import type { Step } from './step-result.ts';

/** How many members a record keeps. */
export const MOST_MEMBERS = 64;

/** A member that works beside the hosting, on the same node. */
export interface MemberHere extends MemberEntry {
  /** The stops that it was told. */
  readonly told: ReadonlySet<string>;
}

/** What a member knows from before an engine lost that it had joined. */
export interface Joined {
  /** Epoch milliseconds of the engine's clock when it joined first. */
  readonly at: number;
  /** The stops that it was told. */
  readonly told: ReadonlySet<string>;
}

/** A process works for a run from here on. What is open, and what was asked for since it joined first, waits for it. */
export function joinRun(
  given: RunRecord | undefined,
  member: MemberEntry,
  joined: Joined,
): Step<readonly StopEntry[] | 'full'> {
  const record = given ?? unhosted;
  if (record.members.some(({ id }) => id === member.id)) return { record: undefined, result: record.stops };
  if (record.members.length >= MOST_MEMBERS) return { record: undefined, result: 'full' };
  const isFor = (stop: StopEntry): boolean =>
    joined.told.has(stop.id) || (concerns(stop, member) && (!isFinal(stop) || stop.at >= joined.at));
  const stops = record.stops.map((stop) =>
    isFor(stop) ? { ...stop, members: unionOf(stop.members, [member]) } : stop,
  );
  return { record: { ...record, stops, members: [...record.members, member] }, result: stops };
}

/** The members that a record names anywhere. */
export function everybodyIn(record: RunRecord): readonly MemberEntry[] {
  if (record.stops.length === 0) return record.members;
  return [record.members, ...record.stops.map(({ members }) => members)].flat();
}

/** A process works for a run no longer: stops that waited for it need not wait any more. */
export function leaveRun(given: RunRecord | undefined, memberId: string): Step<void> {
  if (given === undefined || !everybodyIn(given).some(({ id }) => id === memberId)) {
    return { record: undefined, result: undefined };
  }
  const without = (members: readonly MemberEntry[]): readonly MemberEntry[] =>
    members.filter(({ id }) => id !== memberId);
  const waiting = given.stops.filter(({ members }) => without(members).length < members.length);
  const stops = given.stops.map((stop) => ({ ...stop, members: without(stop.members) }));
  const hints = [...new Set(waiting.map(({ from }) => from))];
  return { record: { ...given, members: without(given.members), stops }, hints, result: undefined };
}

/** Both, each member once. */
export function unionOf(some: readonly MemberEntry[], more: readonly MemberEntry[]): readonly MemberEntry[] {
  if (more.length === 0) return some;
  return [...some, ...more.filter(({ id }) => !some.some((member) => member.id === id))];
}
