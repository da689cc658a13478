/**
 * Makes the transcript of an interrupted conversation sendable: whatever was cut, the next request is legal and tells
 * the model the truth.
 * Above the core because it reads what a turn left behind; it needs no token, no clock and no running turn.
 *
 * @module
 */
import type { IdPolicy, TranscriptDialect } from './dialect.ts';
import { rulesOf, wellFormedMessage } from './dialects/create-dialect.ts';
import {
  requireIds,
  requireOutcomes,
  requirePartials,
  requireTelling,
  requireTurnStart,
} from './dialects/requirements.ts';
import type { PartialOutput, ToolOutcome } from './from-core.ts';
import type { HeldState, Submission } from './held-conversation.ts';
import type { DialectRules, TurnRecord } from './dialects/rules.ts';
import { messageAt, reading } from './reading/readable.ts';
import { isNested } from './reading/recorded-call.ts';
import { requireMessages } from './reading/require-messages.ts';
import type { ReasonLike } from './words/reason-kind.ts';
import type { Render } from './words/values.ts';
import { wellFormed } from './words/well-formed.ts';
import type { Wording } from './words/wording.ts';

/**
 * What is known about the turn that ended; the more is given, the more the model is told.
 *
 * @since 0.1.0
 */
export interface SettleTranscriptOptions<M, A = never> {
  /** Whose rules apply: `anthropic` of `desist/transcript/anthropic`, for example. */
  readonly dialect: TranscriptDialect<M, A, unknown, unknown>;
  /** The tool ledger: `report.calls`. */
  readonly outcomes?: readonly ToolOutcome[] | undefined;
  /**
   * The replies that were cut: `report.partials`. A value may be a text, an assistant message, a whole reply of the
   * provider, or a fold of `desist/llm`; any other is left out, and `changes` says so.
   */
  readonly partials?: readonly PartialOutput[] | undefined;
  /**
   * Why the turn ended: `report.stop?.reason`, a kind, or the reason of a signal. It explains the last calls that have
   * neither result nor row, and says that a provider does not go on with what it had begun: `'unknown'` for a
   * conversation that was stored by a process that is gone.
   */
  readonly reason?: ReasonLike | undefined;
  /** What the server holds of the conversation; `openai-responses` only. */
  readonly held?: HeldState | undefined;
  /** Other words for the model, for every cell or for some. */
  readonly wording?: Wording | undefined;
  /** What the result of a call says, by its row; `undefined` keeps ours. */
  readonly render?: Render | undefined;
  /** Whether ids and names that the provider refuses are changed: `normalise`, the default, or `keep`. */
  readonly ids?: IdPolicy | undefined;
  /**
   * The index of the turn's first message: `messages.length` from before the prompt was pushed. With it, what the turn
   * left behind goes before a prompt that was pushed after the turn. It is an index of this list, and not of what comes
   * back, which may hold fewer messages.
   */
  readonly turnStart?: number | undefined;
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

/**
 * Repairs a transcript after an interruption: each call has exactly one result in the place where the provider wants it,
 * what was cut in the middle is removed or closed, and nothing that completed is lost.
 *
 * Settle first, then push the next prompt, or give `turnStart`: a cut reply that is not in the transcript is added at the
 * end of its turn, and so is a call that only the ledger has. A result that is in the transcript already stays, also
 * where the ledger knows better. Of a call with neither result nor row the model is told that it may have
 * run, unless there is evidence that it did not: its reply was cut, or its neighbours in the same message have rows.
 *
 * Pure and deterministic: the input is not touched, the same input gives the same bytes, and settling twice changes
 * nothing more.
 *
 * @param given The transcript, as the provider's SDK types it.
 * @param options The dialect, and what the turn left behind.
 * @returns The messages to keep and to send, and what was changed.
 * @throws TypeError, RangeError – `messages` is not a list of messages, or an option is not what it should be.
 * @example A call that was cut before it ran
 * ```ts
 * import { settleTranscript } from 'desist/transcript'
 * import { anthropic } from 'desist/transcript/anthropic'
 *
 * const { messages } = settleTranscript(
 *   [
 *     { role: 'user', content: 'Clean up' },
 *     { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'remove', input: {} }] },
 *   ],
 *   { dialect: anthropic },
 * )
 * messages.length // => 3
 * ```
 * @source every agent's own `ensureToolResults`; the 400s of the two APIs
 * @since 0.1.0
 */
export function settleTranscript<B, A, const M extends B>(
  given: readonly M[],
  options: SettleTranscriptOptions<B, A>,
): SettledTranscript<M | A> {
  const rules = rulesOf(options);
  requireMessages(given, rules.requireMessage);
  const changes: TranscriptChange[] = [];
  const messages = reading(given, messageAt, () => given.map((one) => wellFormedMessage<B>(one, rules) as M));
  const turnStart = requireTurnStart(options, messages, rules);
  const telling = requireTelling(options);
  const rows = requireOutcomes('options.outcomes', options.outcomes ?? []);
  const turn: TurnRecord = {
    ...telling,
    outcomes: reading(messages, messageAt, () => withoutNested(rows, messages, rules)),
    partials: requirePartials('options.partials', options.partials ?? []).map((one) => ({
      ...one,
      value: wellFormed(one.value),
    })),
    held: requireHeld(options.held, rules),
    ids: requireIds('options.ids', options.ids),
    turnStart,
    promptAt: reading(messages, messageAt, () => lastPrompt(messages, turnStart, options.held, rules)),
    note: (at, rule, what) => changes.push({ at, rule, what }),
  };
  messages.forEach((one, at) => {
    if (one !== given[at]) turn.note(at, 'text-well-formed', 'replaced half a character, where a text was cut');
  });
  const result = reading(messages, messageAt, () => rules.settle(messages, turn));
  noteTheRest(messages, result.messages, changes);
  changes.sort((a, b) => a.at - b.at);
  // What the ledger says of a call may be cut anywhere, too.
  const known = new Set<unknown>(messages);
  const clean = (list: readonly B[]): (M | A)[] =>
    // The dialect changes and adds messages only within its own shape, of which the caller's type is a description.
    list.map((one) => (known.has(one) ? one : wellFormedMessage(one, rules))) as unknown as (M | A)[];
  const settled = { messages: clean(result.messages), changes };
  const { submit } = result;
  return submit === undefined ? settled : { ...settled, submit: { ...submit, input: clean(submit.input) } };
}

/** Rows of calls that other calls made are of no call of these messages, unless nothing else can be the row of one. */
function withoutNested<M>(
  rows: readonly ToolOutcome[],
  messages: readonly M[],
  { callsIn }: DialectRules<M>,
): readonly ToolOutcome[] {
  if (!rows.some(isNested)) return rows;
  const own = new Set(rows.filter((row) => !isNested(row)).map(({ id }) => id));
  const names = new Map(callsIn(messages).map(({ id, name }) => [id, name]));
  return rows.filter((row) => !isNested(row) || (!own.has(row.id) && names.get(row.id) === row.name));
}

/** Where the turn begins that the caller has not named; of what a server holds nobody can tell. */
function lastPrompt<M>(
  messages: readonly M[],
  turnStart: number | undefined,
  held: HeldState | undefined,
  { turns }: DialectRules<M>,
): number | undefined {
  if (turnStart !== undefined || held !== undefined) return undefined;
  const at = messages.map((message) => turns.isPrompt(message)).lastIndexOf(true);
  return at === -1 ? undefined : at;
}

/** Names every message that is not what it was: also one that changed only because its neighbour did. */
function noteTheRest(before: readonly unknown[], after: readonly unknown[], changes: TranscriptChange[]): void {
  if (changes.length === 0) return;
  const kept = new Set(after);
  const named = new Set(changes.map(({ at }) => at));
  before.forEach((message, at) => {
    if (!kept.has(message) && !named.has(at)) {
      changes.push({ at, rule: 'result-in-place', what: 'changed what it says about the calls before it' });
    }
  });
}

function requireHeld<M>(held: HeldState | undefined, { requireHeld: requireOne, name }: DialectRules<M>): typeof held {
  if (held === undefined) return undefined;
  if (requireOne === undefined) {
    throw new TypeError(`options.held is for conversations on a server, which ${name} has none of`);
  }
  requireOne('options.held', held);
  return held;
}
