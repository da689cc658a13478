/**
 * Asking for a stop, as a pure function from a record to the next one.
 *
 * Invariants: a step that is repeated changes nothing the second time; a stop that nobody was told of never goes, and whose place is
 * taken is told with whoever took it.
 *
 * @module
 */
import type { CancelReason } from '../../core/foundation/reason.ts';
import { unionOf } from './membership.ts';
import { concernedBy, findStop, isFinal, unhosted, withRoom } from './run-record.ts';
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
  // Where nothing is over, this one takes the place of the last that is open with it: it is told later, as hard, to the same.
  const last = kept === undefined ? record.stops.filter(isOpenFor(ask)).at(-1) : undefined;
  // One that was told before it is written cannot: its asker hears of its end, and the record of the other's.
  if (last !== undefined && ask.isTold === true) return joined(last, ask);
  const stops = kept ?? (last && record.stops.filter((each) => each !== last));
  if (stops === undefined) return { record: undefined, result: { answer: 'full' } };
  const members = unionOf(ask.members ?? [], last?.members ?? []);
  const stop = newStop(record, { ...ask, level: last?.level ?? ask.level, members }, now);
  const next = { ...record, stops: [...stops, stop] };
  return { record: next, inboxes: toBeTold(record, stop), result: { answer: 'kept', stop } };
}

/** Those of the same aim that are not over. */
function isOpenFor(ask: StopAsk): (stop: StopEntry) => boolean {
  return (stop) => !isFinal(stop) && stop.turnId === ask.turnId && stop.only === ask.only;
}

function joined(stop: StopEntry, { level }: StopAsk): Step<Asked> {
  if (level === 'kill' && stop.level === 'cancel') return { record: undefined, result: { answer: 'full' } };
  return { record: undefined, result: { answer: 'kept', stop } };
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
