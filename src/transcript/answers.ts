/**
 * Which answer a tool call gets that has none in the transcript: the ledger's row, or the most that is known without.
 * Beside the dialects because the truth about a call is the same whatever a provider's messages look like.
 *
 * @module
 */
import type { CancelKind, CancelReason } from '../core/foundation/reason.ts';
import type { ToolOutcome, ToolStatus } from '../core/interrupt/outcomes.ts';
import type { Words } from './wording.ts';

/** What a result is to say: the tool's own value, or words about what happened. */
export type Answer =
  | { readonly status: 'completed'; readonly value: unknown }
  | { readonly status: Exclude<ToolStatus, 'completed'> | 'unrecorded'; readonly text: string };

/** What is known about one call that has no result. */
export interface UnansweredCall {
  readonly name: string;
  /** Its row of the ledger. */
  readonly row: ToolOutcome | undefined;
  /** What kept it from running, if its reply was cut or its question stayed open. */
  readonly cutBy: { readonly kind: CancelKind } | undefined;
  /** Another call of the same message has a row. */
  readonly batchHasRows: boolean;
  /** It stands in the last message that holds calls. */
  readonly inLastBatch: boolean;
}

/**
 * Decides what a call without a result is answered.
 *
 * Without a row the claim is as weak as the evidence: a call of a cut reply never ran, nor did one whose neighbours in
 * the same message were recorded while it was not; of every other call nobody knows, so it may have run.
 *
 * @param reason Why the turn ended. It explains the last batch of calls only: an older one was left open by something else.
 */
export function answerCall(call: UnansweredCall, reason: CancelReason | undefined, words: Words): Answer {
  const turnCause = reason?.kind ?? 'unknown';
  const { row, name } = call;
  if (row === undefined) {
    if (call.cutBy !== undefined) return said('not-started', call.cutBy.kind);
    if (call.batchHasRows) return said('not-started', turnCause);
    return said('unrecorded', call.inLastBatch ? turnCause : 'unknown');
  }
  switch (row.status) {
    case 'completed':
      return { status: 'completed', value: row.value };
    case 'failed':
      return { status: 'failed', text: errorText(row.error) };
    case 'declined':
      return said('declined', turnCause, row.message === undefined ? '' : `\nTheir words: ${row.message}`);
    case 'not-started':
    case 'skipped':
      return said(row.status, row.reason.kind);
    case 'stopped':
    case 'unknown': {
      const by = row.by === undefined ? '' : `\nInterrupted in: ${row.by}`;
      const partial = row.partial === undefined ? '' : `\nOutput so far:\n${valueText(row.partial)}`;
      return said(row.status, row.reason.kind, by + partial);
    }
  }

  function said(status: Exclude<Answer['status'], 'completed' | 'failed'>, cause: CancelKind, more = ''): Answer {
    return { status, text: words(cause, status, name) + more };
  }
}

/**
 * Gives each call its row. Providers that reuse ids (`call_0` in every round) are told apart by order, counted from the
 * end: the ledger is of the last turn, the transcript may hold many. A call of a cut reply comes last, because it hardly
 * ever ran, and must not take the row of one that did.
 *
 * @param calls All calls of the transcript, in order.
 */
export function assignRows<C extends { readonly id: string }>(
  calls: readonly C[],
  outcomes: readonly ToolOutcome[],
  isCut: (call: C) => boolean,
): ReadonlyMap<C, ToolOutcome> {
  const assigned = new Map<C, ToolOutcome>();
  const rows = new Map<string, ToolOutcome[]>();
  for (const row of outcomes) {
    const same = rows.get(row.id);
    if (same === undefined) rows.set(row.id, [row]);
    else same.push(row);
  }
  if (rows.size === 0) return assigned;
  const backwards = [...calls].reverse();
  for (const call of [...backwards.filter((one) => !isCut(one)), ...backwards.filter(isCut)]) {
    const row = rows.get(call.id)?.pop();
    if (row !== undefined) assigned.set(call, row);
  }
  return assigned;
}

/**
 * The calls of the transcript that the ledger knows, whichever replies were cut: one whose arguments were cut off stays
 * if it is one of them. Of a reply that is only being added, none is.
 */
export function recordedCalls<C extends { readonly id: string }>(
  calls: readonly C[],
  outcomes: readonly ToolOutcome[],
  isAdded: (call: C) => boolean,
): { readonly has: (call: C) => boolean } {
  const own = calls.filter((call) => !isAdded(call));
  return assignRows(own, outcomes, () => false);
}

/** A value as text for a model: a string as it is, anything else as JSON, as much of it as JSON can say. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return '';
  try {
    // Its type says otherwise, but a function and a symbol have no JSON.
    const json = JSON.stringify(value) as unknown;
    return typeof json === 'string' ? json : Object.prototype.toString.call(value);
  } catch {
    return lenientJson(value);
  }
}

/** JSON of what JSON refuses: a bigint by its digits, a cycle by its name. */
function lenientJson(value: unknown): string {
  const ancestors: unknown[] = [];
  try {
    return JSON.stringify(value, function (this: unknown, _key, item: unknown) {
      if (typeof item === 'bigint') return item.toString();
      if (typeof item !== 'object' || item === null) return item;
      while (ancestors.length > 0 && ancestors.at(-1) !== this) ancestors.pop();
      if (ancestors.includes(item)) return '[Circular]';
      ancestors.push(item);
      return item;
    });
  } catch {
    return Object.prototype.toString.call(value); // its own toJSON threw
  }
}

/** An error as text for a model: its message, never its stack. */
function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message : valueText(error);
  return text.trim() === '' ? 'This call failed without saying why.' : `This call failed: ${text}`;
}
