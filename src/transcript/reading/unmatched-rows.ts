/**
 * The rows of the ledger whose calls a transcript does not have: frameworks that run tools themselves hand nothing back
 * when they are stopped, and what was paid is paid.
 *
 * @module
 */
import type { ToolOutcome } from '../from-core.ts';
import { plainValue } from '../words/values.ts';
import { field, isRecord, parseRecord } from './fields.ts';
import { formsOf, normalId } from './ids.ts';
import type { RecordedCall } from './partials.ts';

/**
 * The rows for which there is no call, in their order. Where ids come again, as many rows as calls have one, from the
 * last: the ledger is of the last turn.
 *
 * @param calls The ids of the calls that nobody has looked for a row yet.
 * @param used Rows that have their call already.
 * @param settled The ids of the calls that were looked at, also those that a repair derived from another.
 */
export function missingRows(
  calls: readonly string[],
  outcomes: readonly ToolOutcome[],
  used: ReadonlySet<ToolOutcome> = new Set(),
  settled: readonly string[] = [],
): readonly ToolOutcome[] {
  const known = outcomes.filter((row) => used.has(row));
  const open = outcomes.filter((row) => !used.has(row));
  if (open.length === 0) return open;
  const originals = new Map([...settled, ...calls].flatMap((id) => formsOf(id).map((form) => [form, normalId(id)])));
  // Rows that have their call take it first, also under the id that the repair gave it.
  const copies = withoutCopies(withoutSame({ rows: known, calls: settled }), originals);
  // A row that is still open is not of a settled call with just its id: a repair gave that id to another's copy.
  const added = withoutSame({ rows: open, calls });
  return withoutCopies({ rows: added.rows, calls: [...copies.calls, ...added.calls] }, originals).rows;
}

interface Unmatched {
  readonly rows: readonly ToolOutcome[];
  readonly calls: readonly string[];
}

/** Pairs rows and calls by the id itself; gives what is left of both. */
function withoutSame(given: Unmatched): Unmatched {
  const exact = withoutMatches(
    given,
    (id) => id,
    (call) => call,
  );
  return withoutMatches(exact, normalId, normalId);
}

/**
 * Pairs rows and calls by what the call's id was before a repair; gives what is left of both. A copy of a copy is of the
 * nearer one first. A row is never a copy: no repair gives it another id.
 */
function withoutCopies(given: Unmatched, originals: ReadonlyMap<string, string>): Unmatched {
  let left = given;
  for (let depth = 1; left.rows.length > 0; depth += 1) {
    const bases = new Map(left.calls.map((call) => [call, baseOf(call, originals, depth)]));
    if ([...bases.values()].every((base) => base === undefined)) break;
    left = withoutMatches(left, normalId, (call) => bases.get(call));
  }
  return left;
}

/** Pairs rows and calls by some form of their ids, the last row first; gives what is left of both, in order. */
function withoutMatches(
  { rows, calls }: Unmatched,
  rowForm: (id: string) => string,
  callForm: (id: string) => string | undefined,
): Unmatched {
  const counts = new Map<string | undefined, number>();
  for (const id of calls) counts.set(callForm(id), (counts.get(callForm(id)) ?? 0) + 1);
  const rest: ToolOutcome[] = [];
  for (const row of [...rows].reverse()) {
    const form = rowForm(row.id);
    const count = counts.get(form) ?? 0;
    if (count === 0) rest.push(row);
    else counts.set(form, count - 1);
  }
  const left = calls.filter((id) => {
    const count = counts.get(callForm(id)) ?? 0;
    counts.set(callForm(id), count - 1);
    return count > 0;
  });
  return { rows: rest.reverse(), calls: left };
}

/**
 * What an id was so many repairs before, each of which derived one from another: the original stands beside its copies,
 * though perhaps longer than they had room for.
 */
function baseOf(id: string, originals: ReadonlyMap<string, string>, depth: number): string | undefined {
  let base = id;
  for (let n = 0; n < depth; n += 1) {
    const shorter = base.replace(/_copy\d+$/, '');
    if (shorter === base || !originals.has(shorter)) return undefined;
    base = shorter;
  }
  return originals.get(base);
}

/** The call of a row, as far as it says what was asked for. */
export function recordedCall(row: ToolOutcome): RecordedCall {
  const call = field(row, 'call');
  try {
    return { id: row.id, name: row.name, input: isRecord(call) ? inputOf(call) : {} };
  } catch {
    return { id: row.id, name: row.name, input: {} }; // a getter threw: that it was called is known all the same
  }
}

/** What a call was given, in the shape of whichever SDK it came from. */
function inputOf(call: object): object {
  const body = field(call, 'function');
  const given =
    field(call, 'input') ??
    field(call, 'args') ??
    (isRecord(body) ? field(body, 'arguments') : undefined) ??
    field(call, 'arguments');
  const plain = typeof given === 'string' ? parseRecord(given) : plainValue(given);
  return isRecord(plain) ? plain : {};
}
