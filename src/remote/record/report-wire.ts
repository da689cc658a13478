/**
 * A stop report on its way to another process: what it says of the work, and nothing that belongs to its host alone.
 *
 * Invariants: what still runs is named first and kept longest; the whole stays small.
 *
 * @module
 */
import type { CancelReason } from '../../core/foundation/reason.ts';
import { isObject, printable, show } from '../../core/foundation/check.ts';
import { reasonFromJSON, reasonToJSON, type CancelReasonJSON } from '../../core/foundation/reason-json.ts';
import type { OperationRow, StopReport } from '../../core/interrupt/public-types/stop-report.ts';

/** How many operations and how many names travel. */
const MOST_ROWS = 32;
/** How long a name may be. */
const LONGEST_NAME = 80;

/** How long each of the words of a reason may be. */
const LONGEST_WORDS = 2_000;

/** A reason as it travels: a record holds many, and an engine takes no record that is too long, nor what becomes of its stops. */
export function writeReason(reason: CancelReason): CancelReasonJSON {
  const cut = (value: unknown): unknown => (typeof value === 'string' ? value.slice(0, LONGEST_WORDS) : value);
  const entries = Object.entries(reasonToJSON(reason)).map(([name, value]) => [name, cut(value)]);
  return Object.fromEntries(entries) as CancelReasonJSON;
}

/** A report as JSON. Messages and errors stay with the host; their number travels. */
export interface WireReport {
  readonly r?: CancelReasonJSON;
  readonly t?: number;
  readonly q: number;
  readonly a: number;
  readonly s: number;
  readonly o: readonly (readonly [kind: string, name: string, agent: string, outcome: string, ms: number])[];
  readonly l: readonly string[];
  readonly e: number;
  readonly u: number;
}

/** The report as it travels. */
export function writeReport(report: StopReport): WireReport {
  const rows = [...report.operations].sort((a, b) => rank(a) - rank(b)).slice(0, MOST_ROWS);
  return {
    ...(report.reason !== undefined && { r: writeReason(report.reason) }),
    ...(report.turnId !== undefined && { t: report.turnId }),
    q: report.requestedAt,
    a: report.acknowledgedMs,
    s: report.settledMs,
    o: rows.map(({ kind, name, agent, outcome, ms }) => [short(kind), short(name), short(agent), outcome, ms]),
    l: report.abandoned.slice(0, MOST_ROWS).map(short),
    e: report.callbackErrors.length,
    u: report.undelivered.length,
  };
}

/** What was left behind comes first: it must not be what is cut. */
function rank({ outcome }: OperationRow): number {
  return outcome === 'abandoned' ? 0 : 1;
}

function short(text: string): string {
  return printable(text.slice(0, LONGEST_NAME));
}

/** What stands for something that stayed with the host. */
const KEPT = '(kept by the host)';

/** The report that was written, or `undefined` if this is none. */
export function readReport(wire: unknown): StopReport | undefined {
  if (!isObject(wire)) return undefined;
  const { r, t, q, a, s, o, l, e, u } = wire as Partial<Record<keyof WireReport, unknown>>;
  if (typeof q !== 'number' || !Array.isArray(o) || !Array.isArray(l)) return undefined;
  return {
    reason: r === undefined ? undefined : reasonFromJSON(r),
    turnId: typeof t === 'number' ? t : undefined,
    requestedAt: q,
    acknowledgedMs: Number(a),
    settledMs: Number(s),
    operations: o.filter(Array.isArray).map(readRow),
    abandoned: l.map(String),
    callbackErrors: Array.from({ length: countOf(e) }, () => KEPT),
    undelivered: Array.from({ length: countOf(u) }, () => KEPT),
  };
}

function readRow([kind, name, agent, outcome, ms]: readonly unknown[]): OperationRow {
  const text = (value: unknown): string => (typeof value === 'string' ? value : show(value));
  return {
    kind: text(kind),
    name: text(name),
    agent: text(agent),
    outcome: text(outcome) as OperationRow['outcome'],
    ms: Number(ms),
  };
}

/** A number that another process wrote becomes no list without end. */
function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.min(Math.trunc(value), 1_000) : 0;
}
