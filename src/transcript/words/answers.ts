/**
 * Which answer a tool call gets that has none in the transcript: the ledger's row, or the most that is known without.
 *
 * @module
 */
import type { CancelKind, ToolOutcome, ToolStatus } from '../from-core.ts';
import type { Cause, Telling } from '../dialects/rules.ts';
import { addTo } from '../reading/fields.ts';
import { shortened } from '../reading/ids.ts';
import { originalsOf } from '../reading/links.ts';
import { partsText, readable, toolContent, valueText, type ToolContent } from './values.ts';

/** What a result is to say: the tool's own value, or words about what happened. */
export type Answer =
  | {
      readonly status: 'completed';
      readonly value: unknown;
      /** The value, if it is that of an MCP tool. */
      readonly content?: ToolContent | undefined;
      /** What the model has to know besides. */
      readonly note?: string | undefined;
    }
  | { readonly status: Exclude<ToolStatus, 'completed'> | 'unrecorded'; readonly text: string };

/** What is known about one call that has no result. */
export interface UnansweredCall {
  readonly name: string;
  /** Its row of the ledger. */
  readonly row: ToolOutcome | undefined;
  /** What kept it from running, if its reply was cut or its question stayed open. */
  readonly cutBy: Cause | undefined;
  /** Another call of the same message has a row. */
  readonly batchHasRows: boolean;
  /** It stands in the last message that holds calls. */
  readonly inLastBatch: boolean;
}

/**
 * Decides what a call without a result is answered.
 *
 * Without a row the claim is as weak as the evidence: a call of a cut reply never ran, nor did one whose neighbours in
 * the same message were recorded while it was not; of every other call nobody knows, so it may have run. The reason of
 * the turn explains the last batch of calls only: an older one was left open by something else.
 */
export function answerCall(call: UnansweredCall, telling: Telling): Answer {
  const turnCause = telling.reason?.kind ?? 'unknown';
  const { row, name } = call;
  if (row !== undefined) return answerOutcome(row, telling, name);
  if (call.cutBy !== undefined) return said('not-started', call.cutBy.kind);
  if (call.batchHasRows) return said('not-started', turnCause);
  return said('unrecorded', call.inLastBatch ? turnCause : 'unknown');

  function said(status: 'not-started' | 'unrecorded', cause: CancelKind): Answer {
    return { status, text: telling.words(cause, status, name) };
  }
}

/**
 * What the row of a call says.
 *
 * @param name The tool's name as the transcript has it.
 */
export function answerOutcome(row: ToolOutcome, telling: Telling, name: string = row.name): Answer {
  const own = readable(telling.render?.(row));
  if (own !== undefined) {
    return row.status === 'completed'
      ? { status: 'completed', value: own }
      : { status: row.status, text: notBlank(valueText(own)) };
  }
  const turnCause = telling.reason?.kind ?? 'unknown';
  switch (row.status) {
    case 'completed': {
      const value = readable(row.value);
      const note = row.afterStop === true ? telling.words(turnCause, 'after-stop', name) : undefined;
      return { status: 'completed', value, content: toolContent(value), note };
    }
    case 'failed':
      return { status: 'failed', text: errorText(readable(row.error)) };
    case 'detached':
      return said('detached', turnCause, `\nIt goes on as: ${row.id}${soFar(row.partial)}`);
    case 'declined':
      return said('declined', turnCause, row.message === undefined ? '' : `\nTheir words: ${row.message}`);
    case 'not-started':
    case 'skipped':
      return said(row.status, kindOf(row));
    case 'stopped':
    case 'unknown': {
      const by = row.by === undefined ? '' : `\nInterrupted in: ${row.by}`;
      return said(row.status, kindOf(row), by + soFar(row.partial));
    }
  }

  function said(status: Exclude<Answer['status'], 'completed' | 'failed'>, cause: CancelKind, more = ''): Answer {
    const isAlone = telling.goesOn === true || (telling.reason !== undefined && telling.reason.kind !== cause);
    return { status, text: telling.words(cause, status, name, isAlone) + more };
  }

  /** Rows that were stored by somebody else may have lost their reason; then the turn's explains them. */
  function kindOf(given: { readonly reason?: Cause | undefined }): CancelKind {
    return given.reason?.kind ?? turnCause;
  }
}

function soFar(given: unknown): string {
  if (given === undefined) return '';
  const partial = readable(given);
  const content = toolContent(partial);
  return `\nOutput so far:\n${content === undefined ? valueText(partial) : partsText(content.parts)}`;
}

/**
 * A completed answer as parts, if it is more than a value: what an MCP tool returned, or what the model has to know
 * besides; else `undefined`.
 */
export function contentOf(answer: Answer): ToolContent | undefined {
  if (answer.status !== 'completed') return undefined;
  const { content, note, value } = answer;
  if (note === undefined) return content;
  const parts = content?.parts ?? (value === undefined ? [] : [{ type: 'text' as const, text: valueText(value) }]);
  return { parts: [...parts, { type: 'text', text: note }], isError: content?.isError === true };
}

/** What a failed tool is said to have failed with, where the value itself tells of the failure. */
export function failureText({ parts }: ToolContent): string {
  return notBlank(partsText(parts));
}

/** A call that may have a row, and the index of its message. */
export interface RecordableCall {
  readonly id: string;
  readonly at: number;
}

/**
 * Gives each call its row. Providers that reuse ids (`call_0` in every round) are told apart by order, counted from the
 * end: the ledger is of the last turn, the transcript may hold many. A call of a cut reply comes last, because it hardly
 * ever ran, and must not take the row of one that did.
 *
 * Calls that were given one id were told apart by a repair, and their rows have it all the same: those of one message
 * go to its calls in their order.
 *
 * @param calls All calls of the transcript, in order.
 * @param areOfTurn They are those of the turn from its beginning: rows that are more than they came after them.
 */
export function assignRows<C extends RecordableCall>(
  calls: readonly C[],
  outcomes: readonly ToolOutcome[],
  isCut: (call: C) => boolean,
  areOfTurn = false,
): ReadonlyMap<C, ToolOutcome> {
  const assigned = new Map<C, ToolOutcome>();
  const rows = new Map<string, ToolOutcome[]>();
  for (const row of outcomes) addTo(rows, row.id, row);
  if (rows.size === 0) return assigned;
  const short = new Map([...rows.keys()].map((id) => [shortened(id), id]));
  const originalOf = ({ id }: C): string => {
    if (rows.has(id)) return id;
    const originals = originalsOf(id);
    // A copy of an id that had no room for the mark is of its shortened form.
    const found = originals.find((one) => rows.has(one) || short.has(one));
    return short.get(found ?? '') ?? found ?? originals.at(-1) ?? id;
  };
  const counts = new Map<string, number>();
  if (areOfTurn) for (const id of calls.map(originalOf)) counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const [id, count] of counts) rows.get(id)?.splice(count);
  const shared = new Set(calls.map((call) => (rows.has(call.id) ? undefined : originalOf(call))));
  const batches = new Map<string, C[]>();
  const backwards = [...calls].reverse();
  for (const call of [...backwards.filter((one) => !isCut(one)), ...backwards.filter(isCut)]) {
    const original = originalOf(call);
    if (shared.has(original)) {
      addTo(batches, `${String(call.at)} ${original}`, call);
      continue;
    }
    const row = rows.get(call.id)?.pop();
    if (row !== undefined) assigned.set(call, row);
  }
  for (const batch of batches.values()) {
    const same = rows.get(originalOf(batch[0] as C)) ?? [];
    const own = same.splice(Math.max(0, same.length - batch.length));
    batch.reverse();
    own.forEach((row, i) => assigned.set(batch[i] as C, row));
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
  areOfTurn: boolean,
): { readonly has: (call: C) => boolean } {
  const own = calls.filter((call) => !isAdded(call));
  return assignRows(own, outcomes, () => false, areOfTurn);
}

/** An error as text for a model: its message, never its stack. */
function errorText(error: unknown): string {
  const text = error instanceof Error ? messageOf(error) : valueText(error);
  return text.trim() === '' ? noWords : `This call failed: ${text}`;
}

function messageOf(error: Error): string {
  try {
    return valueText(error.message);
  } catch {
    return ''; // a getter of its own threw
  }
}

const noWords = 'This call failed without saying why.';

function notBlank(text: string): string {
  return text.trim() === '' ? noWords : text;
}
