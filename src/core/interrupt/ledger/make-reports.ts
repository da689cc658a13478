/**
 * Makes the reports of a stop and of a turn from what they say.
 *
 * @module
 */
import type { Outcome } from '../../combinators/outcome.ts';
import { createCancelledError, isCancelledError } from '../../foundation/errors.ts';
import type { CancelReason } from '../../foundation/reason.ts';
import type { Operation } from './operation-list.ts';
import type { Message } from '../messages/message.ts';
import type { PartialOutput, ToolOutcome } from '../public-types/outcomes.ts';
import type { OperationRow, StopReport } from '../public-types/stop-report.ts';
import type { TurnReport } from '../public-types/turn-report.ts';

/** What a row tells of: two agents that tell of one operation have a row each. */
const operationOf = /* @__PURE__ */ new WeakMap<OperationRow, Operation>();

/** One row for each operation: its end, or that it still runs. */
export function rowsOf(operations: Iterable<Operation>, requestedAt: number, now: number): OperationRow[] {
  return [...operations].map((operation) => {
    const { kind, name, agent, outcome, isCaller, endedAt = now } = operation;
    const row: OperationRow = {
      kind,
      name,
      agent,
      outcome: outcome ?? (isCaller ? 'caller' : 'abandoned'),
      ms: Math.max(0, endedAt - requestedAt),
    };
    operationOf.set(row, operation);
    return row;
  });
}

/** A report as of now: what is not said of is empty, and what still runs stands among the operations. */
export function stopReport(
  said: Pick<StopReport, 'requestedAt'> & Partial<Omit<StopReport, 'settledMs' | 'abandoned'>>,
  now: number = said.requestedAt,
): StopReport {
  const { requestedAt, operations = [] } = said;
  return {
    reason: undefined,
    turnId: undefined,
    acknowledgedMs: 0,
    callbackErrors: [],
    undelivered: [],
    ...said,
    operations,
    settledMs: now - requestedAt,
    abandoned: operations.filter(({ outcome }) => outcome === 'abandoned').map(({ name }) => name),
  };
}

/** One report of several that one stop has made: what two of them tell of stands in it once. */
export function mergeReports(base: StopReport, others: readonly StopReport[], now: number): StopReport {
  if (others.length === 0) return base;
  const all = [base, ...others];
  const rows = new Map<object, OperationRow>();
  for (const { operations } of all) for (const row of operations) rows.set(operationOf.get(row) ?? row, row);
  const callbackErrors = [...new Set(all.flatMap((each) => each.callbackErrors))];
  const undelivered = all.flatMap((each) => each.undelivered);
  return stopReport({ ...base, operations: [...rows.values()], callbackErrors, undelivered }, now);
}

/** A turn that has ended, as its report needs it. */
interface EndedTurn {
  readonly id: number;
  readonly stops: { readonly reason: CancelReason | undefined };
  readonly budget: { readonly exhausted: CancelReason | undefined } | undefined;
  readonly agent: { readonly stillRunning: { list(): readonly Operation[] } };
}

/** What its calls have made, for the report alone. */
export interface MadeByTurn {
  readonly calls: readonly (ToolOutcome | undefined)[] | undefined;
  readonly partials: readonly PartialOutput[] | undefined;
  readonly steps: readonly ToolOutcome[] | undefined;
}

/** What the turn came to. */
export function turnReport<T>(
  run: EndedTurn,
  outcome: Outcome<T>,
  undelivered: readonly Message[],
  stop: StopReport | undefined,
  made: MadeByTurn,
): TurnReport<T> {
  const report = endOf(run, outcome, undelivered, made);
  const { steps } = made;
  const left = run.agent.stillRunning.list();
  // Each on its own, for most turns have none of them.
  if (steps !== undefined) Object.assign(report, { steps });
  if (left.length > 0) Object.assign(report, { abandoned: left.map(({ name }) => name) });
  return stop === undefined ? report : Object.assign(report, { stop });
}

function endOf<T>(
  { id: turnId, budget, stops }: EndedTurn,
  outcome: Outcome<T>,
  undelivered: readonly Message[],
  { calls: rows = [], partials = [] }: MadeByTurn,
): TurnReport<T> {
  // A call without a row is one whose batch was given up before it had an outcome.
  const calls = rows.filter(hasOutcome);
  const stopped = stops.reason;
  if (outcome.status === 'completed' && stopped === undefined) {
    const { value } = outcome;
    return { turnId, calls, partials, undelivered, status: 'completed', value, unwrap: () => value };
  }
  // A body that was refused for good fails with the reason for which the turn then ended; a person may have stopped it
  // between the two.
  const refusal = outcome.status === 'failed' && isCancelledError(outcome.error) ? outcome.error.reason : undefined;
  const isRefused = refusal !== undefined && (refusal === stopped || refusal === budget?.exhausted);
  if (outcome.status === 'failed' && !isRefused) {
    const { error } = outcome;
    return { turnId, calls, partials, undelivered, status: 'failed', error, unwrap: () => raise(error) };
  }
  const reason = stopped ?? (outcome as { readonly reason: CancelReason }).reason;
  const completed = outcome.status === 'completed' ? { completed: { value: outcome.value } } : {};
  // What a body returns when it has heard of the stop is no work that was done before: who lets the error pass was stopped.
  const error = createCancelledError(reason, 'afterStop' in outcome ? {} : completed);
  const cancelled = { turnId, calls, partials, undelivered, status: 'cancelled', reason } as const;
  return { ...cancelled, ...completed, unwrap: () => raise(error) };
}

function hasOutcome(call: ToolOutcome | undefined): call is ToolOutcome {
  return call !== undefined;
}

function raise(error: unknown): never {
  throw error;
}
