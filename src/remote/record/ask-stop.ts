/**
 * Asking for a stop, as a pure function from a record to the next one.
 *
 * Invariants: a step that is repeated changes nothing the second time; a stop that nobody was told of never goes, and whose place is
 * taken is told with whoever took it; a stop of everything always finds room.
 *
 * @module
 */
import type { CancelReason } from '../../core/foundation/reason.ts';
import { unionOf } from './membership.ts';
import { concernedBy, findStop, isFinal, MOST_NARROW, unhosted, withRoom } from './run-record.ts';
import type { MemberEntry, RunRecord, StopEntry } from './run-record.ts';
import type { Step } from './step-result.ts';

/** A stop that is asked of a run. */
export interface StopAsk {
  readonly id: string;
  readonly reason: CancelReason;
  readonly level: 'cancel' | 'kill';
  readonly turnId?: number | undefined;
  /** One hosting, and no retry of it. */
  readonly only?: number | undefined;
  /**
   * The hosting that was seen when somebody chose this run, or told in the asker's own process: it and its retries are meant. It is -1
   * for one that never got a number: nobody is meant.
   */
  readonly of?: number | undefined;
  /** How many turns that had been given by then. */
  readonly given?: number | undefined;
  /** As its entry has it: it was told in the asker's own process. */
  readonly holds?: boolean | undefined;
  readonly from: string;
  /** For how many milliseconds it waits for a host. */
  readonly keptMs?: number | undefined;
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
  /** `late`: the run has ended · `superseded`: what it names is gone · `refused`: too many wait. */
  | { readonly answer: 'late' | 'superseded' | 'refused' };

/**
 * D1: one write. D4: the first reason stays, the level grows.
 *
 * A host tells a stop before the record says so. So a stop that is there already may be over for the work that runs now, and is joined
 * only where it was written after this one had looked: it is told later than this one was asked for.
 */
export function askStop(given: RunRecord | undefined, asked: StopAsk, now: number): Step<Asked> {
  const record = given ?? unhosted;
  // D10: the stop is also for a retry of it; one that the engine has lost is waited for.
  const ask = isMeant(asked, record) ? asked : { ...asked, only: asked.only ?? asked.of };
  const known = findStop(record, ask.id);
  if (known !== undefined) return { record: undefined, result: { answer: 'kept', stop: known } };
  const answer = refusal(record, ask, now);
  if (answer === 'late') return askMembers(record, ask, now);
  if (answer !== undefined) return { record: undefined, result: { answer } };

  const sameOnes = record.stops.filter(isOpenFor(ask));
  const twin = sameOnes.filter(({ phase }) => phase === 'requested').at(-1);
  if (twin !== undefined && isToldLater(twin, ask)) {
    if (twin.level === 'kill' || ask.level === 'cancel')
      return { record: undefined, result: { answer: 'kept', stop: twin } };
    const stop: StopEntry = { ...twin, level: 'kill', upgradedBy: ask.id };
    return { record: replaceStop(record, stop), inboxes: toBeTold(record, stop), result: { answer: 'kept', stop } };
  }
  const last = sameOnes.at(-1);
  // A turn is stopped once: what was told of it is no less for whoever asks later.
  if (last !== undefined && isOfTheTurn(last, ask, record)) return joined(last, ask);
  const isCrowded = isNarrow(ask, record) && openNarrow(record) >= MOST_NARROW;
  const kept = isCrowded ? undefined : withRoom(record.stops);
  if (kept === undefined && (last === undefined || isCrowded || ask.isTold === true)) {
    // One that was told before it is written takes nobody's place: its asker hears of its end, and the record of the other's.
    return last === undefined ? { record: undefined, result: { answer: 'refused' } } : joined(last, ask);
  }
  // Where nothing is over, this one takes the place of the last that is open with it: it is told later, as hard, to the same.
  const replaced = kept === undefined ? last : undefined;
  const stops = kept ?? record.stops.filter((each) => each !== replaced);
  const members = unionOf(ask.members ?? [], replaced?.members ?? []);
  const level = replaced?.level === 'kill' ? 'kill' : ask.level;
  const keptMs = Math.max(ask.keptMs ?? 0, replaced?.keptMs ?? 0) || undefined;
  const stop = newStop(record, { ...ask, level, members, keptMs }, now);
  const next = { ...record, stops: [...stops, stop] };
  return { record: next, inboxes: toBeTold(record, stop), result: { answer: 'kept', stop } };
}

/** What was told to it is handed on by whoever was told; what was not is for its retry as well. */
function isMeant({ of, isTold, turnId }: StopAsk, { epoch, first = epoch }: RunRecord): boolean {
  // Turns are counted by each hosting: nobody else has one of this number that is meant.
  if (of === undefined || of === epoch) return of === undefined || isTold !== true || turnId === undefined;
  return isTold !== true && first <= of && of < epoch;
}

/** Those of the same aim that are not over. */
function isOpenFor(ask: StopAsk): (stop: StopEntry) => boolean {
  return (stop) => !isFinal(stop) && stop.turnId === ask.turnId && stop.only === ask.only;
}

/** Whether it is of the same turn of the hosting that is there, for all whom the asker knows. */
function isOfTheTurn(stop: StopEntry, { turnId, isTold, members = [] }: StopAsk, { state }: RunRecord): boolean {
  if (turnId === undefined || isTold === true || state !== 'running') return false;
  return unionOf(stop.members, concernedBy({ turnId }, members)).length === stop.members.length;
}

/** Whether it is of less than all that the hosting does which is there, or comes. */
function isNarrow({ turnId, only }: Pick<StopEntry, 'turnId' | 'only'>, { epoch }: RunRecord): boolean {
  return turnId !== undefined || (only !== undefined && only !== epoch);
}

function openNarrow(record: RunRecord): number {
  return record.stops.filter((stop) => !isFinal(stop) && isNarrow(stop, record)).length;
}

function joined(stop: StopEntry, { level }: StopAsk): Step<Asked> {
  if (level === 'kill' && stop.level === 'cancel') return { record: undefined, result: { answer: 'refused' } };
  return { record: undefined, result: { answer: 'kept', stop } };
}

/** Whether a stop is told, to whomever it is, only after another one was asked for, and waits as long for that. */
function isToldLater({ id, mayBeTold, keptMs: waits = 0 }: StopEntry, { older, isTold, keptMs = 0 }: StopAsk): boolean {
  return isTold !== true && mayBeTold !== true && older?.has(id) === false && waits >= keptMs;
}

function newStop(record: RunRecord, ask: StopAsk, now: number): StopEntry {
  const { id, reason, level, turnId, only, given, from, keptMs, holds, agoMs = 0 } = ask;
  return {
    ...{ id, phase: 'requested', level, reason, at: now - agoMs, from },
    ...((ask.isTold === true || ask.isAgain === true) && { mayBeTold: true }),
    ...(keptMs !== undefined && { keptMs }),
    ...(turnId !== undefined && { turnId }),
    ...(only !== undefined && { only }),
    ...(given !== undefined && { given }),
    ...(holds === true && { holds }),
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
  if (stops === undefined) return { record: undefined, result: { answer: 'refused' } };
  const inboxes = [...new Set(stop.members.map(({ node }) => node))];
  return { record: { ...record, stops: [...stops, stop] }, inboxes, result: { answer: 'kept', stop } };
}

function refusal(record: RunRecord, ask: StopAsk, now: number): 'late' | 'superseded' | undefined {
  const { only, turnId, isTold, agoMs = 0 } = ask;
  // D7: a hosting that was replaced is not mistaken for the one that replaced it, nor one that has ended for its retry.
  const isOver = record.state === 'pending' && record.epoch > 0;
  if (only !== undefined && (record.epoch > only || (isOver && isTold !== true && record.epoch === only)))
    return 'superseded';
  // An engine that has lost the hosting that is meant may have an earlier one, which has ended.
  if (record.state === 'settled' && (only === undefined || only === record.epoch)) return 'late';
  if (turnId === undefined || only !== undefined) return undefined;
  // Turns are counted anew by each hosting: none of this number is meant that began after the asking.
  return isOver || (record.isReplacement && record.epoch > now - agoMs) ? 'superseded' : undefined;
}

/** The nodes of its host, and of whoever works for the run: also those that an engine has lost. */
function toBeTold(record: RunRecord, stop: StopEntry): readonly string[] {
  const host = record.state === 'running' ? [record.node] : [];
  return [...new Set([...host, ...unionOf(record.members, stop.members).map(({ node }) => node)])];
}

function replaceStop(record: RunRecord, next: StopEntry): RunRecord {
  return { ...record, stops: record.stops.map((stop) => (stop.id === next.id ? next : stop)) };
}
