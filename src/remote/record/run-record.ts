/**
 * What the engine keeps of a run: who hosts it, and the stops that were asked of it. A string in the engine, so that it
 * can be compared to the letter.
 *
 * Invariants: an epoch names one hosting and only grows; the phase of a stop only grows; a record that says nothing new
 * is written with the same letters.
 *
 * @module
 */
import { wrongType } from '../../core/foundation/check.ts';
import { reasonFromJSON } from '../../core/foundation/reason-json.ts';
import { writeReason } from './report-wire.ts';
import type { CancelReason } from '../../core/foundation/reason.ts';

/** How far a stop came. `superseded`: it was for a hosting that another one has replaced. */
export type StopPhase = 'requested' | 'observed' | 'settled' | 'superseded';

/** The order in which they come; the last two are final. */
export const phases: readonly StopPhase[] = ['requested', 'observed', 'settled', 'superseded'];

/** A stop that was asked of a run. */
export interface StopEntry {
  readonly id: string;
  readonly phase: StopPhase;
  readonly level: 'cancel' | 'kill';
  readonly reason: CancelReason;
  /** Epoch milliseconds of the engine's clock when it was asked for; never later. */
  readonly at: number;
  /** The node that asked, which is woken when the phase changes; empty where it does not listen. */
  readonly from: string;
  /** For how many milliseconds from then it waits for a host, as its asker said. */
  readonly keptMs?: number | undefined;
  readonly turnId?: number | undefined;
  /** The only hosting that it is for. */
  readonly only?: number | undefined;
  /** How many turns its host had been given when it was told, the one that it waits for included: it is of none that came later. */
  readonly given?: number | undefined;
  /** Whether somebody may have been told of it before it was written here: no other stop joins it. */
  readonly mayBeTold?: boolean | undefined;
  /** Whether it is for the next attempt as a stop of everything, though it names a turn: that was the last that was to be done. */
  readonly holds?: boolean | undefined;
  /** The request that made a kill of it. */
  readonly upgradedBy?: string | undefined;
  /** The members that it was told to, or will be, and that have not left: it is not settled before they have. */
  readonly members: readonly MemberEntry[];
  /** The report, as it travels. */
  readonly report?: unknown;
}

/** What a stop is of. */
export type StopAim = Pick<StopEntry, 'turnId' | 'given'>;

/** A process that works for a run without hosting it. */
export interface MemberEntry {
  readonly id: string;
  readonly node: string;
  /** The only turn that it works for. */
  readonly turnId?: number | undefined;
}

/** `pending`: nobody hosts it, and somebody may · `running` · `settled`: it has ended. */
export type RunState = 'pending' | 'running' | 'settled';

/** What the engine keeps of a run. */
export interface RunRecord {
  /** Names the hosting; 0 before the first. */
  readonly epoch: number;
  /** The earliest of those that this hosting retries, each of which was given up to be tried again. */
  readonly first?: number | undefined;
  /** Whether there was a hosting before it. */
  readonly isReplacement: boolean;
  readonly state: RunState;
  /** The host, while it runs. */
  readonly node: string;
  /** The hosting's own name: a claim that is sent twice is the same claim. */
  readonly claim: string;
  readonly stops: readonly StopEntry[];
  readonly members: readonly MemberEntry[];
  /** The groups that it is in, until it has ended. */
  readonly groups: readonly string[];
}

/** How many stops a record keeps. */
export const MOST_STOPS = 32;
/** How many of them may wait for one turn, or for a hosting that is not there: for a stop of everything there is always room. */
export const MOST_NARROW = 24;

const states: readonly RunState[] = ['pending', 'running', 'settled'];

/** What the number of a state is more by if there was a hosting before. */
const REPLACED = 10;

/** A run that nobody has hosted. */
export const unhosted: RunRecord = {
  ...{ epoch: 0, isReplacement: false, state: 'pending', node: '', claim: '' },
  ...{ stops: [], members: [], groups: [] },
};

/** The record as the engine keeps it: short, as there may be many. */
export function encodeRecord(record: RunRecord): string {
  const { epoch, first, isReplacement, state, node, claim, stops, members, groups } = record;
  return JSON.stringify([
    1,
    epoch,
    states.indexOf(state) + (isReplacement ? REPLACED : 0),
    node,
    claim,
    stops.map((stop) => ({
      i: stop.id,
      p: phases.indexOf(stop.phase),
      ...(stop.level === 'kill' && { k: 1 }),
      r: writeReason(stop.reason),
      a: stop.at,
      f: stop.from,
      l: stop.keptMs,
      t: stop.turnId,
      o: stop.only,
      g: stop.given,
      u: stop.upgradedBy,
      ...(stop.mayBeTold === true && { e: 1 }),
      ...(stop.holds === true && { h: 1 }),
      ...(stop.members.length > 0 && { m: stop.members.map(encodeMember) }),
      w: stop.report,
    })),
    members.map(encodeMember),
    ...(groups.length > 0 || first !== undefined ? [groups] : []),
    ...(first === undefined ? [] : [first]),
  ]);
}

/**
 * Reads what {@link encodeRecord} wrote.
 *
 * @throws TypeError – something else wrote there.
 */
export function decodeRecord(value: string): RunRecord {
  const [version, epoch, state, node, claim, stops, members, groups, first] = partsOf(value);
  const known = typeof state === 'number' ? states[state % REPLACED] : undefined;
  if (version !== 1 || typeof epoch !== 'number' || known === undefined || !isText(node) || !isText(claim)) {
    throw wrongType('the record of a run', 'one that this version wrote', value);
  }
  return {
    epoch,
    ...(typeof first === 'number' && { first }),
    isReplacement: Number(state) >= REPLACED,
    state: known,
    node,
    claim,
    stops: listOf(stops).map((stop) => decodeStop(stop as Shape, value)),
    members: listOf(members).map(decodeMember),
    groups: listOf(groups).filter(isText),
  };
}

/** The same, or `undefined` where something else wrote. */
export function readableRecord(value: string): RunRecord | undefined {
  try {
    return decodeRecord(value);
  } catch {
    return undefined;
  }
}

function encodeMember({ id, node, turnId }: MemberEntry): readonly unknown[] {
  return turnId === undefined ? [id, node] : [id, node, turnId];
}

function decodeMember(member: unknown): MemberEntry {
  const [id, node, turnId] = listOf(member);
  return { id: String(id), node: String(node), ...(typeof turnId === 'number' && { turnId }) };
}

type Shape = Readonly<Partial<Record<string, unknown>>>;

function partsOf(value: string): readonly unknown[] {
  try {
    return listOf(JSON.parse(value));
  } catch {
    return [];
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function decodeStop(stop: Shape, value: string): StopEntry {
  const { i: id, p: phase, a: at, f: from, l: keptMs, t: turnId, o: only, g: given, u: upgradedBy } = stop;
  const known = typeof phase === 'number' ? phases[phase] : undefined;
  if (!isText(id) || known === undefined || typeof at !== 'number' || !isText(from)) {
    throw wrongType('the record of a run', 'one that this version wrote', value);
  }
  return {
    id,
    phase: known,
    level: stop['k'] === 1 ? 'kill' : 'cancel',
    reason: reasonFromJSON(stop['r']),
    at,
    from,
    ...(typeof keptMs === 'number' && { keptMs }),
    ...(typeof turnId === 'number' && { turnId }),
    ...(typeof only === 'number' && { only }),
    ...(typeof given === 'number' && { given }),
    ...(isText(upgradedBy) && { upgradedBy }),
    ...(stop['e'] === 1 && { mayBeTold: true }),
    ...(stop['h'] === 1 && { holds: true }),
    members: listOf(stop['m']).map(decodeMember),
    ...(stop['w'] !== undefined && { report: stop['w'] }),
  };
}

/** Whether a stop has come to its end. */
export function isFinal({ phase }: StopEntry): boolean {
  return phase === 'settled' || phase === 'superseded';
}

/** Makes room for one more: what is over goes first, and what nobody was told of never goes. */
export function withRoom(stops: readonly StopEntry[]): readonly StopEntry[] | undefined {
  if (stops.length < MOST_STOPS) return stops;
  const over = stops.find((stop) => isFinal(stop) && stop.members.length === 0) ?? stops.find(isFinal);
  return over === undefined ? undefined : stops.filter((stop) => stop !== over);
}

/** Whether a stop is a member's business: of the turn that it works for, or of everything that had been given by then. */
export function concerns({ turnId, given = Infinity }: StopAim, member: MemberEntry): boolean {
  if (member.turnId === undefined) return true;
  return turnId === undefined ? member.turnId <= given : member.turnId === turnId;
}

/** Those whose business a stop is. */
export function concernedBy(stop: StopAim, members: readonly MemberEntry[]): readonly MemberEntry[] {
  return members.filter((member) => concerns(stop, member));
}

/** The stop that a request became: under its own name, or as the kill of an earlier one. */
export function findStop(record: RunRecord, requestId: string): StopEntry | undefined {
  return record.stops.find(({ id, upgradedBy }) => id === requestId || upgradedBy === requestId);
}
