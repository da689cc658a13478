/**
 * Makes the transcript of an interrupted conversation sendable: whatever was cut, the next request is legal and tells
 * the model the truth.
 * Above the core because it reads what a turn left behind; it needs no token, no clock and no running turn.
 *
 * @module
 */
import { requireOneOf, show } from '../core/foundation/check.ts';
import type { CancelReason } from '../core/foundation/reason.ts';
import type { PartialOutput, ToolOutcome, ToolStatus } from '../core/interrupt/outcomes.ts';
import type { HeldState, Submission } from './held.ts';
import { dialects } from './dialects/table.ts';
import type { SettledMessage, TranscriptDialect, TranscriptMessages } from './dialects/table.ts';
import { requireMessages } from './require-messages.ts';
import { createWords, type Wording } from './wording.ts';

/**
 * What is known about the turn that ended; the more is given, the more the model is told.
 *
 * @since 0.1.0
 */
export interface SettleTranscriptOptions<D extends TranscriptDialect = TranscriptDialect> {
  /** Whose rules apply. */
  readonly dialect: D;
  /** The tool ledger: `report.calls`. */
  readonly outcomes?: readonly ToolOutcome[] | undefined;
  /**
   * The replies that were cut: `report.partials`. A value may be a text, an assistant message, or an object that carries
   * one as its `message`, as the folds of `desist/llm` do; any other is left out.
   */
  readonly partials?: readonly PartialOutput[] | undefined;
  /** Why the turn ended: `report.stop?.reason`. It explains the last calls that have neither result nor row. */
  readonly reason?: CancelReason | undefined;
  /** What the server holds of the conversation; `openai-responses` only. */
  readonly held?: HeldState | undefined;
  /** Other words for the model, for every cell or for some. */
  readonly wording?: Wording | undefined;
}

/**
 * One thing that was done to a transcript.
 *
 * @since 0.1.0
 */
export interface TranscriptChange {
  /** The index of the message in the input; for a cut reply that was added, the index before which it went. */
  readonly at: number;
  /** The rule that asked for it, as {@link checkTranscript} names it, or `partial-kept`. */
  readonly rule: string;
  /** What was done, in words, for a log. */
  readonly what: string;
}

/**
 * A transcript that can be sent.
 *
 * @since 0.1.0
 */
export interface SettledTranscript<M> {
  /** A new list; messages that were legal are the same objects as in the input. */
  readonly messages: M[];
  /** What was done, in the order of the input; empty if nothing had to be. */
  readonly changes: readonly TranscriptChange[];
  /** What to send where the server holds the conversation; absent where the request carries all of it. */
  readonly submit?: Submission<M>;
}

const statuses: readonly ToolStatus[] = [
  'completed',
  'failed',
  'not-started',
  'stopped',
  'unknown',
  'skipped',
  'declined',
];

/**
 * Repairs a transcript after an interruption: each call has exactly one result in the place where the provider wants it,
 * what was cut in the middle is removed or closed, and nothing that completed is lost.
 *
 * Settle first, then push the next prompt: a cut reply that is not in the transcript is added at the end. A result that is in the transcript already
 * stays, also where the ledger knows better. Of a call with neither result nor row the model is told that it may have
 * run, unless there is evidence that it did not: its reply was cut, or its neighbours in the same message have rows.
 *
 * Pure and deterministic: the input is not touched, the same input gives the same bytes, and settling twice changes
 * nothing more.
 *
 * @param messages The transcript, as the provider's SDK types it.
 * @param options The dialect, and what the turn left behind.
 * @returns The messages to keep and to send, and what was changed.
 * @throws TypeError – `messages` is not a list of messages, or an option is not what it should be.
 * @example A call that was cut before it ran
 * ```ts
 * import { settleTranscript } from 'desist/transcript'
 *
 * const { messages } = settleTranscript(
 *   [
 *     { role: 'user', content: 'Clean up' },
 *     { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'remove', input: {} }] },
 *   ],
 *   { dialect: 'anthropic' },
 * )
 * messages.length // => 3
 * ```
 * @source every agent's own `ensureToolResults`; the 400s of the two APIs
 * @since 0.1.0
 */
export function settleTranscript<const D extends TranscriptDialect, M extends TranscriptMessages[D]>(
  messages: readonly M[],
  options: SettleTranscriptOptions<D>,
): SettledTranscript<SettledMessage<D, M>> {
  const name = requireOneOf('options.dialect', options.dialect, Object.keys(dialects) as D[]);
  requireMessages(messages, dialects[name].requireMessage);
  const changes: TranscriptChange[] = [];
  const result = dialects[name].settle(messages, {
    outcomes: requireOutcomes(options.outcomes ?? []),
    partials: inOrder(options.partials ?? []),
    reason: options.reason,
    held: requireHeld(dialects[name].canBeHeld === true, options.held, name),
    words: createWords(options.wording),
    note: (at, rule, what) => changes.push({ at, rule, what }),
  });
  changes.sort((a, b) => a.at - b.at);
  // The dialect changes and adds messages only within its own shape, of which the caller's type is a description.
  const settled = result.messages as unknown as SettledMessage<D, M>[];
  return result.submit === undefined
    ? { messages: settled, changes }
    : { messages: settled, changes, submit: result.submit as unknown as Submission<SettledMessage<D, M>> };
}

function requireHeld(canBeHeld: boolean, held: HeldState | undefined, name: string): HeldState | undefined {
  if (held === undefined) return undefined;
  if (!canBeHeld) throw new TypeError(`options.held is for conversations on a server, which ${name} has none of`);
  requireList('options.held.responses', held.responses);
  return held;
}

function requireOutcomes(outcomes: readonly ToolOutcome[]): readonly ToolOutcome[] {
  requireList('options.outcomes', outcomes);
  outcomes.forEach((row, i) => requireOneOf(`options.outcomes[${String(i)}].status`, row.status, statuses));
  return outcomes;
}

function inOrder(partials: readonly PartialOutput[]): readonly PartialOutput[] {
  requireList('options.partials', partials);
  return [...partials].sort((a, b) => a.modelCall - b.modelCall);
}

function requireList(name: string, value: unknown): void {
  if (!Array.isArray(value)) throw new TypeError(`${name} must be an array, got ${show(value)}`);
}
