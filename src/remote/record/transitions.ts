/**
 * The protocol, as pure functions from a record to the next one: whatever the engine, whatever was lost on the way, and
 * however often a message is sent.
 *
 * Invariants (numbered as in the guide on stops from other processes):
 * - a step that is repeated changes nothing the second time;
 * - a stop that nobody was told of is for the next hosting, unless it names a turn or a hosting that is gone;
 * - only the hosting that the record names may write phases.
 *
 * Prior art: fencing tokens (Kleppmann, "How to do distributed locking").
 *
 * @module
 */
import { everybodyIn, unionOf, type MemberHere } from './membership.ts';
import { carryOver } from './hand-on.ts';
import type { Step } from './step-result.ts';
import { concernedBy, findStop, isFinal, phases, unhosted, withRoom } from './run-record.ts';
import type { CancelReason } from '../../core/foundation/reason.ts';
import type { MemberEntry, RunRecord, StopEntry, StopPhase } from './run-record.ts';

/** A stop that is asked of a run. */
export interface StopAsk {
  readonly id: string;
  readonly reason: CancelReason;
  readonly level: 'cancel' | 'kill';
  readonly turnId?: number | undefined;
  /** One hosting, and no retry of it. */
  readonly only?: number | undefined;
  /** The hosting that was seen when somebody chose this run, or told in the asker's own process: it and its retries are meant. */
  readonly of?: number | undefined;
  readonly from: string;
  /** For how many milliseconds it has been on its way. */
  readonly agoMs?: number | undefined;
  /** Members that the asker knows: those beside it, and those who were there when it was asked for first. An engine may have lost them. */
  readonly members?: readonly MemberEntry[] | undefined;
  /** The host was told of this very stop, so it joins no other. */
  readonly isTold?: boolean | undefined;
  /** It may have been written before: an engine has lost that, or its answer. */
  readonly isAgain?: boolean | undefined;
  /** The stops that were in the record when it was first looked at for this one; without a look before, whatever is there. */
  readonly older?: ReadonlySet<string> | undefined;
}

/** What became of the asking. */
export type Asked =
  | { readonly answer: 'kept'; readonly stop: StopEntry }
  /** `late`: the run has ended · `superseded`: what it names is gone · `full`: too many wait. */
  | { readonly answer: 'late' | 'superseded' | 'full' };

/**
 * D1: one write. D4: the first reason stays, the level grows.
 *
 * A host tells a stop before the record says so. So a stop that is there already may be over for the work that runs now, and is joined
 * only where it was written after this one had looked: it is told later than this one was asked for.
 */
export function askStop(given: RunRecord | undefined, asked: StopAsk, now: number): Step<Asked> {
  const record = given ?? unhosted;
  // D10: where it is the one, the stop is also for a retry of it; one that the engine has lost is waited for.
  const ask = record.epoch === asked.of ? asked : { ...asked, only: asked.only ?? asked.of };
  const known = findStop(record, ask.id);
  if (known !== undefined) return { record: undefined, result: { answer: 'kept', stop: known } };
  const answer = refusal(record, ask, now);
  if (answer === 'late') return askMembers(record, ask, now);
  if (answer !== undefined) return { record: undefined, result: { answer } };

  const isSame = ({ phase, turnId, only }: StopEntry): boolean =>
    phase === 'requested' && turnId === ask.turnId && only === ask.only;
  const twin = ask.isTold === true ? undefined : record.stops.filter(isSame).at(-1);
  if (twin?.level === 'cancel' && ask.level === 'kill') {
    const stop: StopEntry = { ...twin, level: 'kill', upgradedBy: ask.id };
    return { record: replaceStop(record, stop), inboxes: toBeTold(record, stop), result: { answer: 'kept', stop } };
  }
  if (twin !== undefined && isNewer(twin, ask)) return { record: undefined, result: { answer: 'kept', stop: twin } };
  const kept = withRoom(record.stops);
  // Where nothing is over, this one takes the place of the last that waits with it: it is told later, as hard, to the same.
  const last = kept === undefined ? twin : undefined;
  const stops = kept ?? (last && record.stops.filter((each) => each !== last));
  if (stops === undefined) return { record: undefined, result: { answer: 'full' } };
  const members = unionOf(ask.members ?? [], last?.members ?? []);
  const stop = newStop(record, { ...ask, level: last?.level ?? ask.level, members }, now);
  const next = { ...record, stops: [...stops, stop] };
  return { record: next, inboxes: toBeTold(record, stop), result: { answer: 'kept', stop } };
}

/** Whether a stop is told, to whomever it is, only after another one was asked for. */
function isNewer({ id, mayBeTold }: StopEntry, { older }: StopAsk): boolean {
  return mayBeTold !== true && older?.has(id) === false;
}

function newStop(record: RunRecord, ask: StopAsk, now: number): StopEntry {
  const { id, reason, level, turnId, only, from } = ask;
  return {
    ...{ id, phase: 'requested', level, reason, at: now, from },
    ...((ask.isTold === true || ask.isAgain === true) && { mayBeTold: true }),
    ...(turnId !== undefined && { turnId }),
    ...(only !== undefined && { only }),
    members: concernedBy(ask, unionOf(record.members, ask.members ?? [])),
  };
}

/** D5: the run has ended, and who works for it still is told and waited for. D4: by the stop that has told them all, if one has. */
function askMembers(record: RunRecord, ask: StopAsk, now: number): Step<Asked> {
  const stop: StopEntry = { ...newStop(record, ask, now), phase: 'settled', only: record.epoch };
  if (stop.members.length === 0) return { record: undefined, result: { answer: 'late' } };
  const twin = record.stops.find(
    ({ phase, level, members, mayBeTold }) =>
      phase === 'settled' &&
      mayBeTold !== true &&
      (level === 'kill' || ask.level === 'cancel') &&
      unionOf(members, stop.members).length === members.length,
  );
  if (twin !== undefined && ask.isTold !== true) return { record: undefined, result: { answer: 'kept', stop: twin } };
  const stops = withRoom(record.stops);
  if (stops === undefined) return { record: undefined, result: { answer: 'full' } };
  const inboxes = [...new Set(stop.members.map(({ node }) => node))];
  return { record: { ...record, stops: [...stops, stop] }, inboxes, result: { answer: 'kept', stop } };
}

function refusal(record: RunRecord, ask: StopAsk, now: number): 'late' | 'superseded' | undefined {
  const { only, turnId, agoMs = 0 } = ask;
  // D7: a hosting that was replaced is not mistaken for the one that replaced it.
  if (only !== undefined && record.epoch > only) return 'superseded';
  // An engine that has lost the hosting that is meant may have an earlier one, which has ended.
  if (record.state === 'settled' && (only === undefined || only === record.epoch)) return 'late';
  if (turnId === undefined || only !== undefined) return undefined;
  // Turns are counted anew by each hosting: none of this number is meant that began after the asking.
  const isGone = record.state === 'pending' && record.epoch > 0;
  return isGone || (record.isReplacement && record.epoch > now - agoMs) ? 'superseded' : undefined;
}

/** The nodes of its host, and of whoever works for the run: also those that an engine has lost. */
function toBeTold(record: RunRecord, stop: StopEntry): readonly string[] {
  const host = record.state === 'running' ? [record.node] : [];
  return [...new Set([...host, ...unionOf(record.members, stop.members).map(({ node }) => node)])];
}

function replaceStop(record: RunRecord, next: StopEntry): RunRecord {
  return { ...record, stops: record.stops.map((stop) => (stop.id === next.id ? next : stop)) };
}

/** A hosting, as it names itself. */
export interface Claim {
  readonly claim: string;
  readonly node: string;
  /** The stops that it was told already, in this very process. */
  readonly told?: ReadonlySet<string> | undefined;
  readonly groups?: readonly string[] | undefined;
  /** What it was given by a write whose answer was lost: it stays this, also where the engine has lost the write. */
  readonly tried?: number | undefined;
  /** Its work is wanted again, for so many milliseconds now: stops that were asked for before are not for it. */
  readonly wantedForMs?: number | undefined;
}

/**
 * Takes a run over. D3: what was asked before is there, and is early. D7: an own claim that was sent before is found again.
 *
 * @param pendingMs How long a stop waits for a host.
 */
export function claimRun(
  given: RunRecord | undefined,
  { claim, node, told, groups = [], tried, wantedForMs }: Claim,
  now: number,
  pendingMs: number,
): Step<RunRecord> {
  const record = given ?? unhosted;
  if (record.state === 'running' && record.claim === claim) return { record: undefined, result: record };
  // D7: the engine's time keeps epochs growing also when the engine has lost what it knew.
  const epoch = Math.max(record.epoch + 1, tried ?? Math.trunc(now));
  const oldest = now - Math.min(pendingMs, wantedForMs ?? pendingMs);
  const stops = record.stops.flatMap((stop) => carryOver(stop, record, { epoch, told, oldest }));
  const isReplacement = record.epoch > 0;
  const next: RunRecord = { ...record, epoch, isReplacement, state: 'running', node, claim, stops, groups };
  const replaced = record.state === 'running' && record.node !== node ? [record.node] : [];
  return { record: next, inboxes: replaced, hints: askers(record, next), result: next };
}

/** Those who asked for what has changed. */
export function askers(before: RunRecord, after: RunRecord): readonly string[] {
  if (after.stops.length === 0) return nobody;
  const old = new Map(before.stops.map((stop) => [stop.id, stop.phase]));
  const changed = after.stops.filter(({ id, phase }) => old.get(id) !== phase);
  return [...new Set(changed.map(({ from }) => from))];
}

/** What a hosting knows of the run that it hosts. */
export interface HostingState extends Claim {
  readonly epoch: number;
  /** The stops that it was told, with the phases it has reached. */
  readonly stops: readonly StopEntry[];
  /** Those of them that were asked for in its own process, and that the engine may not have yet. */
  readonly unwritten: readonly StopEntry[];
  /** Epoch milliseconds of the engine's clock. */
  readonly now: number;
}

/** Whose the run is, as a hosting finds it. */
export type Held = 'mine' | 'taken';

/**
 * D12: a hosting writes what it knows, as often as it takes. Where the engine has lost the record, it is restored; where
 * another hosting has the run, nothing is written.
 */
export function assertHosting(
  given: RunRecord | undefined,
  hosting: HostingState,
  membersHere: readonly MemberHere[],
): Step<Held> {
  const restored = restore(given, hosting, membersHere);
  if (restored === undefined) return { record: undefined, result: 'taken' };
  // What was told here holds for this hosting, and must not reach the engine when another one has the run.
  const asked = hosting.unwritten.reduce(
    (record, stop) => askStop(record, { ...stop, isTold: true }, hosting.now).record ?? record,
    restored,
  );
  const stops = waitFor(mergeStops(asked, hosting.stops, restored !== given), membersHere);
  if (asked === given && stops === asked.stops) return { record: given, result: 'mine' };
  const next = { ...asked, stops };
  // What is new in it, a member that wrote itself down in between has not seen.
  const isNew = asked !== given || stops.length > asked.stops.length;
  const members = isNew ? nodesOf(everybodyIn(next)) : nobody;
  // Neither has an earlier host, which wrote itself down first.
  const isReplaced = given?.state === 'running' && given.node !== hosting.node;
  const inboxes = isReplaced ? [...new Set([...members, given.node])] : members;
  return { record: next, inboxes, hints: askers(given ?? unhosted, next), result: 'mine' };
}

/** The record as this hosting's; `undefined` if a later one has it. */
function restore(
  given: RunRecord | undefined,
  { epoch, claim, node, told, groups = [] }: HostingState,
  members: readonly MemberEntry[],
): RunRecord | undefined {
  if (given !== undefined && given.epoch === epoch && given.claim === claim && given.state === 'running') return given;
  if (given !== undefined && given.epoch >= epoch) return undefined;
  const base = given ?? unhosted;
  // To what was asked meanwhile, of whoever it found there, this hosting is the next one.
  const stops = base.stops.flatMap((stop) => carryOver(stop, base, { epoch, told, oldest: -Infinity }));
  const isReplacement = base.epoch > 0;
  const everybody = unionOf(base.members, members);
  return { ...base, epoch, isReplacement, state: 'running', node, claim, stops, members: everybody, groups };
}

/**
 * Phases only grow; what the record has lost is written again, and waits for whoever came back sooner, as one that is new would.
 * The same list if nothing is new.
 */
function mergeStops(
  { stops: written, members: back }: RunRecord,
  known: readonly StopEntry[],
  isRestored: boolean,
): readonly StopEntry[] {
  if (known.length === 0) return written;
  const mine = new Map(known.map((stop) => [stop.id, stop]));
  const merged = written.map((stop) => {
    const here = mine.get(stop.id);
    mine.delete(stop.id);
    if (here === undefined || order(here.phase) <= order(stop.phase)) return stop;
    // Somebody has made a kill of it since: that is still to be told.
    if (stop.level !== here.level && here.level === 'cancel') return stop;
    const members = isRestored ? unionOf(stop.members, here.members) : stop.members;
    const upgradedBy = stop.upgradedBy ?? here.upgradedBy;
    // Who asks for it while an engine has lost this hosting knows of no retry of it, nor that it was told as a kill.
    return {
      ...stop,
      ...{ members, only: here.only, level: here.level, phase: here.phase },
      ...(upgradedBy !== undefined && { upgradedBy }),
      ...(here.report !== undefined && { report: here.report }),
    };
  });
  // What is over and no longer written was cut for room; what is not over was lost. What was refused is not written here.
  const lost = [...mine.values()]
    .filter((stop) => stop.at > 0 && (written.length === 0 || !isFinal(stop)))
    .map((stop) => (isFinal(stop) ? stop : { ...stop, members: unionOf(stop.members, concernedBy(stop, back)) }));
  const isNew = lost.length > 0 || merged.some((stop, index) => stop !== written[index]);
  return isNew ? [...lost, ...merged] : written;
}

/** D5: a stop waits for the members that were told of it beside the hosting. The same list if it does. */
function waitFor(stops: readonly StopEntry[], members: readonly MemberHere[]): readonly StopEntry[] {
  if (members.length === 0) return stops;
  const waiting = stops.map((stop) => {
    const all = unionOf(
      stop.members,
      members.filter(({ told }) => told.has(stop.id)),
    );
    return all.length === stop.members.length ? stop : { ...stop, members: all };
  });
  return waiting.every((stop, index) => stop === stops[index]) ? stops : waiting;
}

/** Most runs have none. */
const nobody: readonly string[] = [];

function nodesOf(members: readonly MemberEntry[]): readonly string[] {
  return members.length === 0 ? nobody : [...new Set(members.map(({ node }) => node))];
}

function order(phase: StopPhase): number {
  return phases.indexOf(phase);
}
