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
import { everybodyIn, unionOf } from './membership.ts';
import { askStop, type StopAsk } from './ask-stop.ts';
import { carryOver } from './hand-on.ts';
import type { Step } from './step-result.ts';
import { concernedBy, isFinal, MOST_STOPS, phases, unhosted } from './run-record.ts';
import type { MemberEntry, RunRecord, StopEntry, StopPhase } from './run-record.ts';

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
  /** Those of them that are known by name, in whatever order they were written. */
  readonly past?: ReadonlySet<string> | undefined;
}

/**
 * Takes a run over. D3: what was asked before is there, and is early. D7: an own claim that was sent before is found again.
 */
export function claimRun(
  given: RunRecord | undefined,
  { claim, node, told, past, groups = [], tried, wantedForMs }: Claim,
  now: number,
): Step<RunRecord> {
  const record = given ?? unhosted;
  if (record.state === 'running' && record.claim === claim) return { record: undefined, result: record };
  // D7: the engine's time keeps epochs growing also when the engine has lost what it knew.
  const epoch = Math.max(record.epoch + 1, tried ?? Math.trunc(now));
  const since = now - (wantedForMs ?? Infinity);
  const next = { epoch, told, past, since, now };
  const stops = record.stops.flatMap((stop) => carryOver(stop, record, next));
  const isReplacement = record.epoch > 0;
  const isRetry = isReplacement && record.state === 'pending' && wantedForMs === undefined;
  const first = isRetry ? (record.first ?? record.epoch) : undefined;
  const claimed: RunRecord = { ...record, epoch, first, isReplacement, state: 'running', node, claim, stops, groups };
  const replaced = record.state === 'running' && record.node !== node ? [record.node] : [];
  return { record: claimed, inboxes: replaced, hints: askers(record, claimed), result: claimed };
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
  readonly unwritten: readonly (StopEntry & Pick<StopAsk, 'agoMs'>)[];
  /** How many turns it was given, where it ends: a stop that came before the last is for no next attempt. */
  readonly given?: number | undefined;
  /** Epoch milliseconds of the engine's clock. */
  readonly now: number;
}

/** Whose the run is, as a hosting finds it. */
export type Held = 'mine' | 'taken';

/**
 * D12: a hosting writes what it knows, as often as it takes. Where the engine has lost the record, it is restored; where
 * another hosting has the run, nothing is written.
 */
export function assertHosting(given: RunRecord | undefined, hosting: HostingState): Step<Held> {
  const restored = restore(given, hosting);
  if (restored === undefined) return { record: undefined, result: 'taken' };
  // What was told here holds for this hosting, and must not reach the engine when another one has the run.
  const asked = hosting.unwritten.reduce(
    (record, stop) => askStop(record, { ...stop, isTold: true }, hosting.now).record ?? record,
    restored,
  );
  const stops = mergeStops(asked, hosting.stops, restored !== given);
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
): RunRecord | undefined {
  if (given !== undefined && given.epoch === epoch && given.claim === claim && given.state === 'running') return given;
  if (given !== undefined && given.epoch >= epoch) return undefined;
  const base = given ?? unhosted;
  // To what was asked meanwhile, of whoever it found there, this hosting is the next one.
  const stops = base.stops.flatMap((stop) => carryOver(stop, base, { epoch, told }));
  const isReplacement = base.epoch > 0;
  return { ...base, epoch, first: undefined, isReplacement, state: 'running', node, claim, stops, groups };
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
    if (here === undefined) return stop;
    if (order(here.phase) <= order(stop.phase)) {
      const isForLess = here.only !== undefined && (stop.only === undefined || stop.holds === true);
      return isForLess ? { ...stop, only: here.only, holds: here.holds } : stop;
    }
    // Somebody has made a kill of it since: that is still to be told.
    if (stop.level !== here.level && here.level === 'cancel') return stop;
    const members = isRestored ? unionOf(stop.members, here.members) : stop.members;
    const upgradedBy = stop.upgradedBy ?? here.upgradedBy;
    // Who asks for it while an engine has lost this hosting knows of no retry of it, nor that it was told as a kill.
    return {
      ...stop,
      ...{ members, reason: here.reason, only: here.only, given: here.given, holds: here.holds },
      ...{ level: here.level, phase: here.phase },
      ...(upgradedBy !== undefined && { upgradedBy }),
      ...(here.report !== undefined && { report: here.report }),
    };
  });
  // What is no longer written where there is room was lost, unless it is over and was cut before; what was refused is not written here.
  const isFull = written.length >= MOST_STOPS;
  const lost = [...mine.values()]
    .filter((stop) => stop.at > 0 && !isFull && (written.length === 0 || !isFinal(stop)))
    .map((stop) => (isFinal(stop) ? stop : { ...stop, members: unionOf(stop.members, concernedBy(stop, back)) }));
  const isNew = lost.length > 0 || merged.some((stop, index) => stop !== written[index]);
  return isNew ? [...lost, ...merged] : written;
}

/** Most runs have none. */
const nobody: readonly string[] = [];

function nodesOf(members: readonly MemberEntry[]): readonly string[] {
  return members.length === 0 ? nobody : [...new Set(members.map(({ node }) => node))];
}

function order(phase: StopPhase): number {
  return phases.indexOf(phase);
}
