/**
 * Which row of the ledger belongs to which call of the transcript: a server's ids need not tell, as many give the same
 * ones again in every round.
 *
 * @module
 */
import type { ToolOutcome } from '../from-core.ts';
import { addTo } from './fields.ts';
import { shortened } from './ids.ts';
import { originalsOf } from './links.ts';
import { askedFor, askedIn, hasMadeId } from './recorded-call.ts';

/** A call that may have a row, and the index of its message. */
export interface RecordableCall {
  readonly id: string;
  readonly at: number;
  readonly name: string;
  /** What it asks for, as it stands there. */
  readonly input?: unknown;
  /** The results that the transcript has for it; by default none are known. */
  readonly results?: readonly unknown[];
}

/** Calls and rows that may belong to each other. */
interface Candidates<C> {
  readonly calls: readonly C[];
  readonly rows: readonly ToolOutcome[];
}

/** What is known of the turn. */
export interface TurnBounds<C> {
  /** Whether the reply of a call was cut: it comes last, because it hardly ever ran, and must not take the row of one that did. */
  readonly isCut: (call: C) => boolean;
  /** The calls are those of the turn from its beginning: rows that are more than they came after them. */
  readonly areOfTurn?: boolean;
  /**
   * Where they may be of older turns as well, whether a call stands behind the last prompt, and so is of this one: then one
   * with a result uses up the row that asks for the same.
   */
  readonly isLate?: ((call: C) => boolean) | undefined;
}

/** What bounds the search. */
interface Rules<C> extends TurnBounds<C> {
  /** Whether some of the calls have their id from a repair, as copies of others'. */
  readonly hasCopies: boolean;
}

/**
 * Gives each call its row. Of calls and rows that share an id, those go together that are of one tool and ask for the
 * same; then those of one tool; then the others, as a tool may go by several names. What is alike is told apart by order: from the end, as the ledger is of
 * the last turn and the transcript may hold many – or, where the turn's beginning is known, from there. A call of the turn
 * without a result has no row if those that have one are as many as the rows.
 *
 * A row whose id a guard made, because its framework had none to give, goes to a call of its tool that asks for the same
 * and that no other row is of.
 *
 * Calls that were given one id were told apart by a repair, and their rows have it all the same: those of one message
 * go to its calls in their order.
 *
 * @param calls All calls of the transcript, in order.
 */
export function assignRows<C extends RecordableCall>(
  calls: readonly C[],
  outcomes: readonly ToolOutcome[],
  bounds: TurnBounds<C>,
): ReadonlyMap<C, ToolOutcome> {
  const assigned = new Map<C, ToolOutcome>();
  if (outcomes.length === 0) return assigned;
  const rowIds = new Set(outcomes.map(({ id }) => id));
  const loose: ToolOutcome[] = [];
  for (const group of groupsById(calls, outcomes, rowIds)) {
    if (group.calls.length === 0) loose.push(...group.rows.filter(hasMadeId));
    const rules = { ...bounds, hasCopies: group.calls.some(({ id }) => !rowIds.has(id)) };
    // Most have an id of their own, and nothing to be told apart.
    const isAlone = group.calls.length === 1 && group.rows.length === 1;
    const less = { ...rules, isLate: undefined };
    const rest = isAlone ? group : pairAlike(pairAlike(group, exactly, rules, assigned), byName, less, assigned);
    pair(rest, less, assigned);
  }
  if (loose.length > 0) {
    const free = calls.filter((call) => !assigned.has(call));
    pairAlike({ calls: free, rows: loose }, exactly, { ...bounds, hasCopies: false }, assigned);
  }
  return assigned;
}

/**
 * The calls of the transcript that the ledger knows, whichever replies were cut: one whose arguments were cut off stays
 * if it is one of them. Of a reply that is only being added, none is.
 */
export function recordedCalls<C extends RecordableCall>(
  calls: readonly C[],
  outcomes: readonly ToolOutcome[],
  isAdded: (call: C) => boolean,
  bounds: Omit<TurnBounds<C>, 'isCut'>,
): { readonly has: (call: C) => boolean } {
  const own = calls.filter((call) => !isAdded(call));
  return assignRows(own, outcomes, { ...bounds, isCut: () => false });
}

/**
 * Which of the calls of one tool in one reply the results are of that have no ids, where they are fewer than the calls: by
 * order alone the first would be told what another did. A result goes to the call whose row has its value; else by order,
 * to those that the ledger says were stopped last – unless every row has its result, for then the words for a stopped call
 * are among them.
 *
 * @returns The call of each result; by order where no row is known.
 */
export function answeredCalls<C, R>(
  calls: readonly C[],
  results: readonly R[],
  rowOf: (call: C) => ToolOutcome | undefined,
  isValue: (result: R, value: unknown) => boolean,
): readonly C[] {
  const free = new Set(calls);
  const byValue = results.map((result) => {
    for (const call of free) {
      const row = rowOf(call);
      if (row?.status !== 'completed' || !isValue(result, row.value)) continue;
      free.delete(call);
      return call;
    }
    return undefined;
  });
  const areAllTold = calls.filter(rowOf).length === results.length;
  const rank = (call: C): number => {
    const status = rowOf(call)?.status;
    // Without a row it may be of another part of the turn, which the ledger does not tell of.
    if (status === undefined) return 0;
    return areAllTold || status === 'completed' || status === 'failed' || status === 'declined' ? 0 : 1;
  };
  const likely = [...free].sort((a, b) => rank(a) - rank(b));
  const chosen = new Set(likely.slice(0, byValue.filter((call) => call === undefined).length));
  const rest = calls.filter((call) => chosen.has(call));
  return byValue.map((call) => call ?? (rest.shift() as C));
}

/** The calls and rows of each id of the ledger; a copy that a repair made of one goes with it. */
function groupsById<C extends RecordableCall>(
  calls: readonly C[],
  outcomes: readonly ToolOutcome[],
  rowIds: ReadonlySet<string>,
): readonly Candidates<C>[] {
  const short = new Map([...rowIds].map((id) => [shortened(id), id]));
  const groups = new Map<string, { readonly calls: C[]; readonly rows: ToolOutcome[] }>();
  for (const row of outcomes) {
    const group = groups.get(row.id);
    if (group === undefined) groups.set(row.id, { calls: [], rows: [row] });
    else group.rows.push(row);
  }
  for (const call of calls) {
    // A copy of an id that had no room for the mark is of its shortened form.
    const found = rowIds.has(call.id) ? call.id : originalsOf(call.id).find((id) => rowIds.has(id) || short.has(id));
    if (found !== undefined) groups.get(short.get(found) ?? found)?.calls.push(call);
  }
  return [...groups.values()];
}

type Likeness = (name: string, asked: () => string) => string;

const exactly: Likeness = (name, asked) => `${plainName(name)} ${asked()}`;
const byName: Likeness = plainName;

/** A name in whatever form a provider took it. */
function plainName(name: string): string {
  return name
    .replace(/[^a-zA-Z0-9_-]/g, '_')
    .replace(/^_+/, '')
    .slice(0, 60);
}

/** Pairs those that are alike; returns the others. */
function pairAlike<C extends RecordableCall>(
  { calls, rows }: Candidates<C>,
  likeness: Likeness,
  rules: Rules<C>,
  assigned: Map<C, ToolOutcome>,
): Candidates<C> {
  if (calls.length === 0 || rows.length === 0) return { calls: [], rows: [] };
  const callsOf = new Map<string, C[]>();
  const rowsOf = new Map<string, ToolOutcome[]>();
  for (const call of calls)
    addTo(
      callsOf,
      likeness(call.name, () => askedFor(call.input)),
      call,
    );
  for (const row of rows)
    addTo(
      rowsOf,
      likeness(row.name, () => askedIn(row)),
      row,
    );
  const paired = new Set<ToolOutcome>();
  for (const [key, own] of rowsOf) {
    for (const row of pair({ calls: callsOf.get(key) ?? [], rows: own }, rules, assigned)) paired.add(row);
  }
  return {
    calls: calls.filter((call) => !assigned.has(call)),
    rows: rows.filter((row) => !paired.has(row)),
  };
}

/** Pairs by order; returns the rows that found a call. */
function pair<C extends RecordableCall>(
  { calls: all, rows: given }: Candidates<C>,
  rules: Rules<C>,
  assigned: Map<C, ToolOutcome>,
): readonly ToolOutcome[] {
  const { isCut, areOfTurn = false, isLate, hasCopies } = rules;
  const own = areOfTurn || isLate === undefined ? all : all.filter(isLate);
  const isTurn = areOfTurn || isLate !== undefined;
  const calls = isTurn && own.length > given.length ? withoutUnbegun(own, given.length, isCut) : all;
  const rows = areOfTurn ? given.slice(0, calls.length) : [...given];
  const batches = new Map<C | number, C[]>();
  const backwards = [...calls].reverse();
  const paired: ToolOutcome[] = [];
  for (const call of [...backwards.filter((one) => !isCut(one)), ...backwards.filter(isCut)]) {
    addTo(batches, hasCopies ? call.at : call, call);
  }
  for (const batch of batches.values()) {
    batch.reverse();
    const own = rows.splice(Math.max(0, rows.length - batch.length));
    own.forEach((row, i) => assigned.set(batch[i] as C, row));
    paired.push(...own);
  }
  return paired;
}

/** As many calls of a turn as have rows, in order: those with results, and then those that were begun first. */
function withoutUnbegun<C extends RecordableCall>(
  calls: readonly C[],
  count: number,
  isCut: (call: C) => boolean,
): readonly C[] {
  const isAnswered = (call: C): boolean => (call.results?.length ?? 0) > 0;
  const likely = [
    ...calls.filter((call) => isAnswered(call) && !isCut(call)),
    ...calls.filter((call) => !isAnswered(call) && !isCut(call)),
    ...calls.filter(isCut),
  ];
  const begun = new Set(likely.slice(0, count));
  return calls.filter((call) => begun.has(call));
}
