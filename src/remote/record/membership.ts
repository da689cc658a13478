/**
 * The processes that work for a run without hosting it, as its record names them.
 *
 * Invariant: a stop waits for everybody who was told of it, or will be, until they have left.
 *
 * @module
 */
import { createReason, type CancelReason } from '../../core/foundation/reason.ts';
import { concerns, isFinal, unhosted, withRoom } from './run-record.ts';
import type { MemberEntry, RunRecord, StopEntry } from './run-record.ts';
import type { Step } from './step-result.ts';

/** How many members a record keeps. */
export const MOST_MEMBERS = 64;

/** What a member knows from before an engine lost that it had joined. */
export interface Joined {
  /** Epoch milliseconds of the engine's clock when it joined first. */
  readonly at: number;
  /** The hosting that had ended by then, which is no business of it; 0 if none had. */
  readonly ended: number;
  /** The stops that it was told. */
  readonly told: ReadonlySet<string>;
}

/** A process works for a run from here on. What is open, and what was asked for since it joined first, waits for it. */
export function joinRun(
  given: RunRecord | undefined,
  member: MemberEntry,
  joined: Joined,
  now: number,
): Step<{ readonly stops?: readonly StopEntry[]; readonly full?: readonly MemberEntry[] }> {
  const record = given ?? unhosted;
  if (record.members.some(({ id }) => id === member.id)) return { record: undefined, result: { stops: record.stops } };
  if (record.members.length >= MOST_MEMBERS) return { record: undefined, result: { full: record.members } };
  // D5: where its end was written by somebody who did not know of it, it is told by its own write.
  const hasEnded = record.state === 'settled' && record.epoch > joined.ended;
  const isFor = (stop: StopEntry): boolean =>
    joined.told.has(stop.id) ||
    (hasEnded && stop.id === endIdOf(record)) ||
    (concerns(stop, member) && (!isFinal(stop) || stop.at >= joined.at));
  const waiting = record.stops.map((stop) =>
    isFor(stop) ? { ...stop, members: unionOf(stop.members, [member]) } : stop,
  );
  const isUntold = hasEnded && !waiting.some((stop) => isNamed(stop, member));
  const why = createReason({ kind: 'shutdown', at: now });
  const stops = isUntold ? withEnd(waiting, { ...record, node: member.node, now }, why, [member]) : waiting;
  // D6: its host looks after its lease from here on.
  const inboxes = record.state === 'running' && record.node !== member.node ? [record.node] : [];
  return { record: { ...record, stops, members: [...record.members, member] }, inboxes, result: { stops } };
}

/**
 * Takes those out whose nodes have no lease any more. D5: a stop that has named them waits for them, and comes to no good end. They are
 * told: one that lives after all writes itself down again.
 */
export function buryMembers(given: RunRecord | undefined, dead: ReadonlySet<string>): Step<void> {
  const inboxes = [...dead].filter((name) => given?.members.some(({ node }) => node === name) === true);
  if (given === undefined || inboxes.length === 0) return { record: undefined, result: undefined };
  const members = given.members.filter(({ node }) => !dead.has(node));
  return { record: { ...given, members }, inboxes, result: undefined };
}

/**
 * With the end of a hosting, for those whom no stop has told: the host's part of it is over. It comes first: the last is what was
 * asked for last.
 */
export function withEnd(
  stops: readonly StopEntry[],
  hosting: Pick<RunRecord, 'claim' | 'epoch' | 'node'> & { readonly now: number },
  reason: CancelReason,
  members: readonly MemberEntry[],
): readonly StopEntry[] {
  const { epoch, node, now } = hosting;
  const end: StopEntry = {
    ...{ id: endIdOf(hosting), phase: 'settled', level: 'cancel', reason, at: now, from: node, only: epoch },
    members,
  };
  return [end, ...(withRoom(stops) ?? stops)];
}

/** The name of a hosting's end, as a stop of whoever works for it. */
export function endIdOf({ claim }: Pick<RunRecord, 'claim'>): string {
  return `end-${claim}`;
}

/** Whether a stop waits for a member. */
export function isNamed({ members }: StopEntry, { id }: MemberEntry): boolean {
  return members.some((member) => member.id === id);
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
