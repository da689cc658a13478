/**
 * Makes the value that users hold from the rules of one dialect.
 * In one place for all dialects: how an outcome of the core is read is no provider's business.
 *
 * @module
 */
import { show, wrongType } from '../../core/foundation/check.ts';
import type {
  DialectRulesOf,
  ToolResultsOptions,
  TranscriptCall,
  TranscriptDialect,
  TranscriptViolation,
} from '../dialect.ts';
import type { CancelReason, ToolOutcome } from '../from-core.ts';
import { field, isRecord } from '../reading/fields.ts';
import { messageAt, reading, readingAs } from '../reading/readable.ts';
import { requireMessages, requireRecord } from '../reading/require-messages.ts';
import { answerOutcome } from '../words/answers.ts';
import { valueText } from '../words/values.ts';
import { wellFormed } from '../words/well-formed.ts';
import { createWords } from '../words/wording.ts';
import { holdsHalf } from './json-checks.ts';
import type { AnsweredCall, DialectRules, Note, SettleOptions } from './rules.ts';
import { isResult, requireIds, requireOutcomes, requireTelling } from './requirements.ts';

/** Makes the value. `R`, `T` and `A` describe what the rules make, for callers that push it into lists of an SDK's type. */
export function createDialect<M, A = never, R = M, T = M>(rules: DialectRules<M>): TranscriptDialect<M, A, R, T> {
  return Object.freeze({
    name: rules.name,
    rules: rules as unknown as DialectRulesOf<M, A>,
    check(messages: readonly M[], options: { readonly ids?: unknown } = {}): readonly TranscriptViolation[] {
      const ids = requireIds('options.ids', options.ids);
      requireMessages(messages, rules.requireMessage);
      const violations: TranscriptViolation[] = [];
      reading(messages, messageAt, () => {
        const note: Note = (at, rule, what) => violations.push({ at, rule, what });
        rules.check(messages, note, ids);
        messages.forEach((message, at) => {
          if (holdsHalf(message)) note(at, 'text-well-formed', 'a text holds half of a character');
        });
      });
      return violations;
    },
    calls(reply: unknown): readonly TranscriptCall[] {
      return readingAs('reply', () => {
        const { value, cutBy } = readOutcome(reply, rules);
        if (cutBy !== undefined) return [];
        const calls = rules.callsIn(requireReplies(rules, value, rules.repliesAsSaid));
        return onceEach(calls.filter((call, at) => !isCutCall(call, at === calls.length - 1 ? value : undefined)));
      });
    },
    reply(reply: unknown): R[] {
      return readingAs('reply', () => replyOf(reply).map((one) => wellFormedMessage(one, rules))) as unknown as R[];
    },
    toolResults(outcomes: readonly ToolOutcome[], options: ToolResultsOptions = {}): T[] {
      const telling = requireTelling(options);
      const rows = requireOutcomes('outcomes', outcomes);
      if (rows.length === 0) return [];
      const answered = rows.map((outcome) => ({
        outcome,
        answer: answerOutcome(outcome, { ...telling, goesOn: telling.reason === undefined }),
      }));
      return resultsOf(rules, answered) as unknown as T[];
    },
  });

  function replyOf(reply: unknown): readonly M[] {
    const { value, cutBy } = readOutcome(reply, rules);
    if (cutBy === undefined) return withCallsOnce(requireReplies(rules, value));
    return settled(rules.repliesIn(value) ?? [], { cut: { by: cutBy, isWhole: isComplete(value) }, reason: cutBy });
  }

  /** A call that came twice runs once, so it is sent once: settling takes the copy out, and its answers are none of the reply. */
  function withCallsOnce(replies: readonly M[]): readonly M[] {
    const calls = rules.callsIn(replies);
    const once = onceEach(calls);
    if (once.length === calls.length) return replies;
    const outcomeOf = ({ id, name }: TranscriptCall): ToolOutcome => {
      return { id, name, call: {}, ms: 0, status: 'completed', value: '' };
    };
    return settled(replies, { outcomeOf }).filter((one) => replies.includes(one) || !isResult(one, rules));
  }

  function settled(replies: readonly M[], known: Partial<SettleOptions>): readonly M[] {
    const { messages } = rules.settle([rules.opening, ...replies], {
      isOver: known.cut !== undefined,
      reason: undefined,
      words: createWords(undefined),
      note: () => undefined,
      ids: 'normalise',
      ...known,
    });
    return messages.slice(1);
  }
}

/** Of calls that are the same in id, tool and arguments the first; a provider may let two others share an id. */
function onceEach(calls: readonly TranscriptCall[]): readonly TranscriptCall[] {
  if (new Set(calls.map(({ id }) => id)).size === calls.length) return calls;
  const known = new Set<string>();
  return calls.filter(({ id, name, input }) => {
    const key = JSON.stringify([id, name, valueText(input)]);
    return !known.has(key) && known.add(key);
  });
}

/** Results as messages for the next request. */
export function resultsOf<M>(rules: DialectRules<M>, answered: readonly AnsweredCall[]): readonly M[] {
  return made().map((one) => wellFormedMessage(one, rules));

  function made(): readonly M[] {
    try {
      return rules.results(answered);
    } catch {
      // A call that cannot be looked at: its row has its id and name, and what became of it is told all the same.
      return rules.results(answered.map((one) => ({ ...one, outcome: { ...one.outcome, call: {} } })));
    }
  }
}

/** The calls of a reply, by the names that the model said. */
export function callsInReply<M>(rules: DialectRules<M>, value: unknown): readonly TranscriptCall[] {
  return rules.callsIn(requireReplies(rules, value, rules.repliesAsSaid));
}

/** A message without half a character in any of its texts; the same object where there is none. */
export function wellFormedMessage<M>(message: M, { rewrite }: Pick<DialectRules<M>, 'rewrite'>): M {
  return rewrite === undefined ? wellFormed(message) : rewrite(message, wellFormed);
}

/** The rules behind the dialect that options name. */
export function rulesOf<M, A>(options: {
  readonly dialect: TranscriptDialect<M, A, unknown, unknown>;
}): DialectRules<M> {
  requireRecord('options', options);
  const { dialect } = options;
  const rules = isRecord(dialect) ? (field(dialect, 'rules') as DialectRules<M> | undefined) : undefined;
  if (isRecord(rules) && typeof field(rules, 'settle') === 'function') return rules;
  const hint = typeof dialect === 'string' ? "; dialectNamed() of 'desist/transcript' finds one by its name" : '';
  throw new TypeError(
    `options.dialect must be a dialect, such as \`anthropic\` of 'desist/transcript/anthropic', got ${show(dialect)}${hint}`,
  );
}

/** A reply, and whether it was cut. */
interface ReadOutcome {
  readonly value: unknown;
  /** What cut it, if anything did. */
  readonly cutBy: CancelReason | undefined;
}

/** What `turn.model` resolves with has a status and a value; everything else is a reply itself. */
export function readOutcome<M>(reply: unknown, { isUnfinished }: DialectRules<M>): ReadOutcome {
  if (!isRecord(reply)) return { value: reply, cutBy: undefined };
  const status = field(reply, 'status');
  if (status === 'interjected' && 'partial' in reply) {
    return { value: reply.partial, cutBy: field(reply, 'reason') as CancelReason };
  }
  const value = status === 'completed' && 'value' in reply ? reply.value : reply;
  // A stream may end cleanly before the reply has: its fold knows. By whom it was cut nobody says.
  const isCut = (isRecord(value) && field(value, 'isComplete') === false) || isUnfinished?.(value) === true;
  return { value, cutBy: isCut ? ({ kind: 'unknown' } as CancelReason) : undefined };
}

/** Whether a reply was whole when it was cut, as its fold says, or the answer of Ollama. */
export function isComplete(value: unknown): boolean {
  return isRecord(value) && (field(value, 'isComplete') === true || field(value, 'done') === true);
}

/** The words of providers for an end that came before the model's own. */
const limits = new Set<unknown>(['length', 'content_filter', 'max_tokens', 'model_context_window_exceeded']);

/**
 * Whether a limit cut the arguments of a call, as far as the reply tells.
 *
 * @param reply The reply that ends with this call.
 */
export function isCutCall({ raw, input }: TranscriptCall, reply: unknown): boolean {
  if (field(raw, 'status') === 'incomplete') return true;
  if (!isRecord(reply)) return false;
  const choices = field(reply, 'choices');
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (isRecord(choice) && limits.has(field(choice, 'finish_reason'))) {
    const body = field(raw, 'function');
    return !isRecord(input) || (isRecord(body) && field(body, 'arguments') === '');
  }
  // The Messages API gives as much of the arguments as could be read.
  const content = limits.has(field(reply, 'stop_reason')) ? field(reply, 'content') : undefined;
  return Array.isArray(content) && field(raw, 'id') === field((content.at(-1) ?? {}) as object, 'id');
}

/** @throws TypeError – a value in which the dialect finds no reply. */
export function requireReplies<M>(
  rules: DialectRules<M>,
  value: unknown,
  read: DialectRules<M>['repliesIn'] = rules.repliesIn,
): readonly M[] {
  const replies = read(value);
  if (replies !== undefined) return replies;
  const choices = isRecord(value) ? field(value, 'choices') : undefined;
  if (Array.isArray(choices) && choices.length === 0) {
    throw new TypeError('reply.choices must hold a choice, got an empty array');
  }
  throw wrongType('reply', `a reply of ${rules.name}, a fold of one, or what turn.model resolved with`, value);
}
