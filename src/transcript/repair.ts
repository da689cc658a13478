/**
 * Makes a stored transcript legal by the provider's rules. Knows no turn, no ledger and no agent: what a conversation
 * knows it has told already.
 *
 * @module
 */
import { requireFunction, requireOptions, wrongType, type OptionNames } from '../core/foundation/check.ts';
import type { IdPolicy, MessageFormat, TranscriptCall, TranscriptViolation } from './dialect.ts';
import { formatRulesOf, wellFormedMessage } from './dialects/create-dialect.ts';
import { requireIds, requireOutcome, requireRender } from './dialects/requirements.ts';
import type { DialectResult, FormatRules, Note, SettleOptions } from './dialects/rules.ts';
import type { ToolOutcome } from './from-core.ts';
import type { HeldByServer, Submission } from './held-conversation.ts';
import { isRecord, isSameList } from './reading/fields.ts';
import { mapMessages } from './reading/readable.ts';
import { requireMessages } from './reading/require-messages.ts';
import type { Render } from './words/values.ts';
import { createWords, type Wording } from './words/wording.ts';

/**
 * Options of {@link repair}.
 *
 * @since 0.1.0
 */
export interface RepairOptions<M, A = never> {
  /** Whose rules apply: `anthropic` of `desist/transcript/anthropic`, for example. */
  readonly dialect: MessageFormat<M, A>;
  /** Other words for the model, for every cell or for some. */
  readonly wording?: Wording | undefined;
  /** What the result of a call says, by its row; `undefined` keeps ours. */
  readonly render?: Render | undefined;
  /** Whether ids and names that the provider refuses are changed: `normalise`, the default, or `keep`. */
  readonly ids?: IdPolicy | undefined;
  /** What became of a call that has no result, where somebody knows. */
  readonly outcomeOf?: ((call: TranscriptCall) => ToolOutcome | undefined) | undefined;
  /** What the server holds of the conversation, by `heldByServer`; `openai-responses` and `openai-agents` only. */
  readonly held?: HeldByServer | undefined;
}

const optionNames: OptionNames<RepairOptions<object>> = {
  dialect: 1, wording: 1, render: 1, ids: 1, outcomeOf: 1, held: 1,
}; // prettier-ignore

/**
 * A transcript that can be sent.
 *
 * @since 0.1.0
 */
export interface RepairedTranscript<M> {
  /** A new list; messages that were legal are the same objects as in the input. */
  readonly messages: M[];
  /** What was wrong with the input, in its order; empty if the messages are those of the input. */
  readonly changes: readonly TranscriptViolation[];
  /** What to send where the server holds the conversation; absent where the request carries all of it. */
  readonly submit?: Submission<M>;
}

/**
 * Repairs a transcript that comes from elsewhere: each call has exactly one result in the place where the provider wants
 * it, and what was cut in the middle is removed or closed. Of a call without a result the model is told that it may have
 * run, unless `outcomeOf` knows more.
 *
 * Pure and deterministic: the input is not touched, the same input gives the same bytes, and a second time changes nothing.
 *
 * @param given The transcript, as the provider's SDK types it.
 * @param options The dialect, and what is known besides.
 * @returns The messages to keep and to send, and what was changed.
 * @throws TypeError – `messages` is not a list of messages, or an option is not what it should be.
 * @example A call that nobody answered
 * ```ts
 * import { repair } from 'desist/transcript'
 * import { anthropic } from 'desist/transcript/anthropic'
 *
 * const use = { type: 'tool_use', id: 'toolu_1', name: 'remove', input: {} }
 * const { messages } = repair([{ role: 'user', content: 'Clean up' }, { role: 'assistant', content: [use] }], {
 *   dialect: anthropic,
 * })
 * messages.length // => 3
 * ```
 * @source every agent's own `ensureToolResults`; the 400s of the providers
 * @since 0.1.0
 */
export function repair<B, A, const M extends B>(
  given: readonly M[],
  options: RepairOptions<B, A>,
): RepairedTranscript<M | A> {
  const rules = formatRulesOf(options);
  requireOptions(options, optionNames);
  requireMessages(given, rules);
  const { wording, render, outcomeOf, held } = options;
  if (outcomeOf !== undefined) requireFunction('options.outcomeOf', outcomeOf);
  requireHeld(held, rules);
  const ids = requireIds('options.ids', options.ids);
  const { whole, messages, submit } = legalList<B>(given, rules, {
    words: createWords(wording),
    render: requireRender('options.render', render),
    outcomeOf: outcomeOf && rowsFrom(outcomeOf),
    held,
    ids,
  });
  const check: Check<B> = (list, note) => {
    rules.check(list, note, ids, true);
  };
  const changes = changesOf(whole, messages, check, held !== undefined);
  whole.forEach((one, at) => {
    if (one !== given[at]) changes.unshift({ at, rule: 'text-well-formed', what: 'a text holds half of a character' });
  });
  const repaired = { messages, changes: changes.sort((one, other) => one.at - other.at) };
  // The dialect changes and adds messages only within its own shape, of which the caller's type is a description.
  return (submit === undefined ? repaired : { ...repaired, submit }) as unknown as RepairedTranscript<M | A>;
}

/**
 * Messages made legal; by default nobody goes on with them.
 *
 * @returns Besides, the same messages as they were, but for halves of characters.
 */
export function legalList<M>(
  given: readonly M[],
  rules: FormatRules<M>,
  known: Omit<SettleOptions, 'isOver' | 'reason'> & Partial<SettleOptions>,
): DialectResult<M> & { readonly whole: readonly M[] } {
  const whole = mapMessages(given, (one) => wellFormedMessage(one, rules));
  const settled = rules.settle(whole, { isOver: true, reason: undefined, ...known });
  // What a row says of a call may be cut anywhere, too.
  const own = new Set<unknown>(whole);
  const clean = (list: readonly M[]): M[] => list.map((one) => (own.has(one) ? one : wellFormedMessage(one, rules)));
  const { submit } = settled;
  return {
    whole,
    messages: clean(settled.messages),
    ...(submit !== undefined && { submit: { ...submit, input: clean(submit.input) } }),
  };
}

type Check<M> = (messages: readonly M[], note: Note) => void;

/** What was wrong with messages that became others: what the check finds, and each that it has nothing to say of. */
function changesOf<M>(
  before: readonly M[],
  after: readonly M[],
  check: Check<M>,
  isHeld: boolean,
): TranscriptViolation[] {
  const changes: TranscriptViolation[] = [];
  if (isSameList(before, after)) return changes;
  const stays = new Set<unknown>();
  // What is wrong afterwards as well is whole with what the server holds.
  if (isHeld) check(after, (at, rule) => stays.add(`${rule} ${String(before.indexOf(after[at] as M))}`));
  check(before, (at, rule, what) => {
    if (!stays.has(`${rule} ${String(at)}`)) changes.push({ at, rule, what });
  });
  const kept = new Set<unknown>(after);
  const named = new Set(changes.map(({ at }) => at));
  before.forEach((message, at) => {
    if (kept.has(message) || named.has(at)) return;
    changes.push({ at, rule: 'goes-with-others', what: 'it cannot stay as it is beside the other messages' });
  });
  return changes;
}

/** The rows that the caller has, by the ids and names of the calls that they are given for. */
function rowsFrom(
  outcomeOf: NonNullable<RepairOptions<never>['outcomeOf']>,
): (call: TranscriptCall) => ToolOutcome | undefined {
  return (call) => {
    const row = outcomeOf(call);
    if (row === undefined) return undefined;
    return { ...requireOutcome(`options.outcomeOf(${call.id})`, row), id: call.id, name: call.name };
  };
}

function requireHeld<M>(held: unknown, { isHeld }: FormatRules<M>): void {
  if (held === undefined || (isHeld === true && isRecord(held) && 'read' in held)) return;
  throw wrongType('options.held', 'what heldByServer() returns, with openaiResponses or openaiAgents', held);
}
