/**
 * Settles a transcript together with what its turn left behind: once by itself, to see which of the cut replies and of
 * the calls of the ledger it holds, and then with those that it does not.
 * In one place for all dialects: each says only how to read a reply and how to write what is legal.
 *
 * @module
 */
import type { IdPolicy } from '../dialect.ts';
import type { DialectResult, Note, TurnRecord } from '../dialects/rules.ts';
import type { ToolOutcome } from '../from-core.ts';
import { assignRows, recordedCalls, type RecordableCall } from './assign-rows.ts';
import { legalId, type IdRule } from './ids.ts';
import { isSingle, recordedCall } from './recorded-call.ts';
import {
  bareEntries,
  withPartials,
  type AskedCall,
  type Entry,
  type LaidEntries,
  type ReplyReader,
  type Settled,
} from './partials.ts';

/**
 * Writes entries as a legal transcript. Which replies were cut decides what their calls are answered, not which of them
 * stay: else a reply could not be found again where it was found before.
 */
export type WriteEntries<M> = (entries: readonly Entry<M>[], turn: TurnRecord) => readonly Settled<M>[];

/** Gives messages the ids by which their calls and results go together; those that had them are the same objects. */
export type GiveIds<M> = (messages: readonly M[], policy: IdPolicy, note: Note) => readonly M[];

/** The rows of the ledger with the ids that their calls have in the transcript. */
export type NameRows<M> = (
  turn: Pick<TurnRecord, 'outcomes' | 'partials' | 'ids'>,
  messages: readonly M[],
) => readonly ToolOutcome[];

/** Settles messages whose calls may have any ids: they, the cut replies and the rows of the ledger get legal ones first. */
export function settleNamed<M>(
  messages: readonly M[],
  turn: TurnRecord,
  reader: ReplyReader<M>,
  nameRows: NameRows<M>,
  giveIds: GiveIds<M>,
  write: WriteEntries<M>,
): DialectResult<M> {
  const name = (message: M): M => giveIds([message], turn.ids, () => undefined)[0] as M;
  const named: ReplyReader<M> = {
    ...reader,
    fromCall: (call) => name(reader.fromCall(call)),
    fromPartial(value) {
      const message = reader.fromPartial(value);
      return message === undefined ? undefined : name(message);
    },
  };
  const given = giveIds(messages, turn.ids, turn.note);
  return settleEntries(given, { ...turn, outcomes: nameRows(turn, given) }, named, write);
}

/** Names rows by what a provider takes for an id. */
export function rowsBy(rule: IdRule): NameRows<unknown> {
  return ({ outcomes, ids }) => {
    if (ids === 'keep') return outcomes;
    return outcomes.map((row) => {
      const id = legalId(row.id, rule);
      return id === row.id ? row : { ...row, id };
    });
  };
}

/** Settles messages and lays the cut replies and the recorded calls beside them that are missing. */
export function settleEntries<M>(
  messages: readonly M[],
  turn: TurnRecord,
  reader: ReplyReader<M>,
  write: WriteEntries<M>,
): DialectResult<M> {
  const bare = bareEntries(messages);
  const { partials, outcomes } = turn;
  if (partials.length === 0 && outcomes.length === 0) return written(bare);
  const alone = write(bare, { ...turn, partials: [], note: () => undefined });
  const laid = withPartials(messages, alone, partials, reader, turn);
  // A call from before the turn has no row of it, whatever its id; what was cut inside its arguments does not stay.
  const kept = [
    ...alone.filter(({ from }) => from >= (turn.turnStart ?? 0) && !laid.outgrown.has(from)),
    ...laid.entries.filter(({ added }) => added !== undefined),
  ];
  const rows = missingRows(
    outcomes,
    kept.map(({ message }) => reader.parts(message)?.wholeCalls ?? []),
    turn.turnStart !== undefined,
  );
  return written(rows.length === 0 ? laid.entries : withLedger(laid, rows, turn.note, reader));

  function written(entries: readonly Entry<M>[]): DialectResult<M> {
    return { messages: write(entries, turn).map(({ message }) => message) };
  }
}

/** The rows without a call among those that stay, which are given message by message, as they are once they are settled. */
export function missingRows(
  outcomes: readonly ToolOutcome[],
  kept: readonly (readonly AskedCall[])[],
  areOfTurn: boolean,
): readonly ToolOutcome[] {
  const calls = kept.flatMap((asked, at) => asked.map((call) => ({ ...call, at })));
  const known = new Set(assignRows(calls, outcomes, { isCut: () => false, areOfTurn }).values());
  return outcomes.filter((row) => !known.has(row));
}

/** Adds the calls that only the ledger has, at the end of the turn: before the reply that was cut last, which came later. */
function withLedger<M>(
  { entries, end }: LaidEntries<M>,
  rows: readonly ToolOutcome[],
  note: Note,
  reader: ReplyReader<M>,
): readonly Entry<M>[] {
  let place = entries.findIndex(({ at, added }) => at >= end && added === undefined);
  if (place === -1) place = entries.length;
  const last = entries[place - 1];
  if (last?.added !== undefined && last.cutBy?.kind !== 'interjection') place -= 1;
  const added = rows.map((row): Entry<M> => {
    note(end, 'call-recorded', `added the call ${row.name} (${row.id}), which only the ledger has`);
    return { message: reader.fromCall(recordedCall(row)), at: end, added: undefined, cutBy: undefined, row };
  });
  return [...entries.slice(0, place), ...added, ...entries.slice(place)];
}

/** What the ledger says about calls. */
export interface CallRows<S> {
  readonly rows: ReadonlyMap<S, ToolOutcome>;
  /** Those whose rows are of whole batches: the neighbours that have none were not begun. */
  readonly batched: { readonly has: (site: S) => boolean };
  /** The calls that the ledger knows whichever replies were cut. */
  readonly recorded: { readonly has: (site: S) => boolean };
}

/** Which row each call has, and which calls the ledger knows whichever replies were cut. */
export function rowsOf<S extends RecordableCall>(
  sites: readonly S[],
  entries: readonly Entry<unknown>[],
  { outcomes, turnStart, promptAt }: Pick<TurnRecord, 'outcomes' | 'turnStart' | 'promptAt'>,
): CallRows<S> {
  const inserted = new Map<S, ToolOutcome>();
  for (const site of sites) {
    const row = entries[site.at]?.row;
    if (row !== undefined) inserted.set(site, row);
  }
  const taken = new Set(inserted.values());
  // A call from before the turn has no row of it, whatever its id.
  const isFrom = (site: S, start: number): boolean => (entries[site.at]?.at ?? 0) >= start;
  const others = sites.filter((site) => !inserted.has(site) && isFrom(site, turnStart ?? 0));
  const rest = taken.size === 0 ? outcomes : outcomes.filter((row) => !taken.has(row));
  const bounds = {
    areOfTurn: turnStart !== undefined,
    isLate: promptAt === undefined ? undefined : (site: S) => isFrom(site, promptAt),
  };
  const isCut = (site: S): boolean => entries[site.at]?.cutBy !== undefined;
  const rows = new Map(assignRows(others, rest, { ...bounds, isCut }));
  for (const [site, row] of inserted) rows.set(site, row);
  const recorded = recordedCalls(others, rest, (site) => entries[site.at]?.added !== undefined, bounds);
  return {
    rows,
    batched: {
      has(site) {
        const row = rows.get(site);
        return row !== undefined && !isSingle(row);
      },
    },
    recorded: { has: (site) => inserted.has(site) || recorded.has(site) },
  };
}
