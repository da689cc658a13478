/**
 * Which answer a tool call gets that has none in the transcript: the ledger's row, or the most that is known without.
 *
 * @module
 */
import { isThenable, wrongType } from '../../core/foundation/check.ts';
import { shownOf } from '../../core/foundation/results/shown.ts';
import type { CancelKind, ToolOutcome } from '../from-core.ts';
import type { Cause, Telling } from '../dialects/rules.ts';
import { field, isRecord } from '../reading/fields.ts';
import {
  type Answer,
  isError,
  partsText,
  readable,
  toolContent,
  valueText,
  withoutHoles,
  type ToolContent,
} from './values.ts';
import type { WordingOutcome } from './wording.ts';

/** What is known about one call that has no result. */
export interface UnansweredCall {
  readonly name: string;
  /** Its row of the ledger. */
  readonly row: ToolOutcome | undefined;
  /** What kept it from running, if its reply was cut or its question stayed open. */
  readonly cutBy: Cause | undefined;
}

/**
 * Decides what a call without a result is answered.
 *
 * Without a row the claim is as weak as the evidence: a call of a cut reply never ran; of every other call nobody knows, so
 * it may have run.
 */
export function answerCall({ row, name, cutBy }: UnansweredCall, telling: Telling): Answer {
  if (row !== undefined) return answerOutcome(row, telling, name);
  const status = cutBy === undefined ? 'unrecorded' : 'not-started';
  return { status, text: telling.words(cutBy?.kind ?? telling.reason?.kind ?? 'unknown', status, name) };
}

/**
 * What the row of a call says.
 *
 * @param name The tool's name as the transcript has it.
 */
export function answerOutcome(row: ToolOutcome, telling: Telling, name: string = row.name): Answer {
  const given = telling.render?.(row);
  if (isThenable(given)) throw wrongType('what render returns', 'a value', given);
  const own = withoutHoles(readable(given));
  if (own !== undefined) {
    return row.status === 'completed'
      ? { status: 'completed', value: own, isRendered: true }
      : { status: row.status, text: notBlank(valueText(own)) };
  }
  const turnCause = telling.reason?.kind ?? 'unknown';
  switch (row.status) {
    case 'completed': {
      const shown = telling.isPage === true ? undefined : shownOf(row.call, row.value, true);
      const plain = withoutHoles(readable(shown === undefined ? row.value : shown.value));
      const value = telling.read?.(plain) ?? plain;
      const note = row.afterStop === true ? wordsOf('after-stop', kindOf(row)) : undefined;
      const content = toolContent(value);
      return { status: 'completed', value, content, ...(shown && { isRendered: true }), note };
    }
    case 'failed':
      return { status: 'failed', text: errorText(readable(row.error)) };
    case 'detached':
      return said('detached', turnCause, `\nIt goes on as: ${row.id}${soFar(row)}`);
    case 'declined':
      return said('declined', turnCause, row.userMessage === undefined ? '' : `\nTheir words: ${row.userMessage}`);
    case 'not-started':
    case 'skipped':
      return said(row.status, kindOf(row));
    case 'stopped':
    case 'unknown': {
      const by = row.by === undefined ? '' : `\nInterrupted in: ${row.by}`;
      return said(row.status, kindOf(row), by + soFar(row));
    }
  }

  function said(status: Exclude<Answer['status'], 'completed' | 'failed'>, cause: CancelKind, more = ''): Answer {
    return { status, text: wordsOf(status, cause) + more };
  }

  function wordsOf(outcome: WordingOutcome, cause: CancelKind): string {
    const isAlone = telling.goesOn === true || (telling.reason !== undefined && telling.reason.kind !== cause);
    return telling.words(cause, outcome, name, isAlone);
  }

  /** Rows that were stored by somebody else may have lost their reason; then the turn's explains them. */
  function kindOf(given: { readonly reason?: Cause | undefined }): CancelKind {
    return given.reason?.kind ?? turnCause;
  }
}

function soFar({ call, partial: produced }: ToolOutcome & { readonly partial?: unknown }): string {
  const shown = produced === undefined ? undefined : shownOf(call, produced, false);
  const given = shown === undefined ? produced : shown.value;
  if (given === undefined) return '';
  const partial = readable(given);
  const content = toolContent(partial);
  const text = content === undefined ? valueText(partial) : partsText(content.parts);
  return text.trim() === '' ? '' : `\nOutput so far:\n${text}`;
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

/**
 * An error as text for a model: its message, and never what else it holds, such as a stack, or a request with its key. One
 * that was stored as JSON, or that is no instance, has a message as well.
 */
function errorText(error: unknown): string {
  const text = isError(error) || hasMessage(error) ? messageOf(error) : valueText(error);
  // An error that was stored as JSON has lost everything.
  return text.trim() === '' || text === '{}' ? noWords : `This call failed: ${text}`;
}

function hasMessage(error: unknown): error is Error {
  try {
    return isRecord(error) && ['message', 'stack'].some((name) => typeof field(error, name) === 'string');
  } catch {
    return true;
  }
}

function messageOf(error: Error): string {
  try {
    if (error.message) return valueText(error.message);
    // A connection that was tried at several addresses says what failed in its parts.
    const parts = field(error, 'errors');
    const causes = Array.isArray(parts) ? parts.filter(isError).map(({ message }) => message) : [];
    return causes.length > 0 ? causes.join('; ') : valueText(field(error, 'code'));
  } catch {
    return ''; // a getter of its own threw
  }
}

const noWords = 'This call failed without saying why.';

/** What a failure says, with words for one that says nothing: some providers refuse such. */
export function notBlank(text: string): string {
  return text.trim() === '' ? noWords : text;
}
