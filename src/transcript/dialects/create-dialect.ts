/**
 * Makes the value that users hold from the rules of one dialect.
 * In one place for all dialects: how an outcome of the core is read is no provider's business.
 *
 * @module
 */
import { requireOptions, show, type OptionNames } from '../../core/foundation/check.ts';
import type {
  DialectRulesOf,
  DialectTexts,
  MessageFormat,
  TranscriptCall,
  TranscriptDialect,
  TranscriptViolation,
} from '../dialect.ts';
import { field, isRecord } from '../reading/fields.ts';
import { mapMessages, readingAs } from '../reading/readable.ts';
import { requireMessages, requireRecord } from '../reading/require-messages.ts';
import { answerOutcome, contentOf, failureText } from '../words/answers.ts';
import { partsText, toolContent, valueText } from '../words/values.ts';
import { wellFormed } from '../words/well-formed.ts';
import { builtInWords } from '../words/wording.ts';
import { readReply } from './legal-reply.ts';
import type { AnsweredCall, DialectRules, FormatRules, Note } from './rules.ts';
import { requireIds, requireOutcome } from './requirements.ts';

const checkOptions: OptionNames<{ ids?: unknown }> = { ids: 1 };

/** Makes the value for lists of messages that no conversation is held in. */
export function createFormat<M, A = never>(rules: FormatRules<M>): MessageFormat<M, A> {
  return Object.freeze(formatOf<M, A>(rules));
}

function formatOf<M, A>(rules: FormatRules<M>): MessageFormat<M, A> {
  return {
    name: rules.name,
    rules: rules as unknown as DialectRulesOf<M, A>,
    check(messages: readonly M[], options: { readonly ids?: unknown } = {}): readonly TranscriptViolation[] {
      requireOptions(options, checkOptions);
      const ids = requireIds('options.ids', options.ids);
      requireMessages(messages, rules);
      const found: TranscriptViolation[] = [];
      const note: Note = (at, rule, what) => found.push({ at, rule, what });
      const whole = mapMessages(messages, (one) => wellFormedMessage(one, rules) === one);
      rules.check(messages, note, ids);
      whole.forEach((isWhole, at) => {
        if (!isWhole) note(at, 'text-well-formed', 'a text holds half of a character');
      });
      return found;
    },
  };
}

/** The same in every dialect. */
const texts: DialectTexts = {
  outcome(given, reason) {
    const telling = { reason, words: builtInWords, goesOn: reason === undefined };
    const answer = answerOutcome(requireOutcome('outcome', given), telling);
    if (answer.status !== 'completed') return wellFormed(answer.text);
    const { value, content = toolContent({ content: value }) } = answer;
    const own = contentOf({ ...answer, content });
    if (own === undefined) return wellFormed(valueText(value));
    return wellFormed(own.isError ? `This call failed: ${failureText(own)}` : partsText(own.parts));
  },
  cut(said, reason) {
    return `${said.trimEnd()}\n\n${builtInWords(reason.kind, 'cut')}`;
  },
};

/** Makes the value. `A` describes what the rules add, for callers that push it into lists of an SDK's type. */
export function createDialect<M, A = never>(rules: DialectRules<M>): TranscriptDialect<M, A> {
  return Object.freeze({
    ...formatOf<M, A>(rules),
    calls(reply: unknown): readonly TranscriptCall[] {
      return readingAs('reply', () => {
        const { calls, mayRun } = readReply(rules, reply);
        return calls.filter(mayRun);
      });
    },
    texts,
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

/** A message without half a character in any of its texts; the same object where there is none. */
export function wellFormedMessage<M>(message: M, { rewrite }: Pick<DialectRules<M>, 'rewrite'>): M {
  return rewrite === undefined ? wellFormed(message) : rewrite(message, wellFormed);
}

/** The rules behind the dialect that options name, of which a list can be repaired and checked. */
export function formatRulesOf<M, A>(options: { readonly dialect: MessageFormat<M, A> }): FormatRules<M> {
  requireRecord('options', options);
  const { dialect } = options;
  const rules = isRecord(dialect) ? (field(dialect, 'rules') as FormatRules<M> | undefined) : undefined;
  if (isRecord(rules) && typeof field(rules, 'settle') === 'function') return rules;
  const hint = typeof dialect === 'string' ? "; dialectNamed() of 'desist/transcript' finds one by its name" : '';
  throw new TypeError(
    `options.dialect must be a dialect, such as \`anthropic\` of 'desist/transcript/anthropic', got ${show(dialect)}${hint}`,
  );
}

/** The same of a dialect in which a conversation can be held. */
export function rulesOf<M, A>(options: { readonly dialect: TranscriptDialect<M, A> }): DialectRules<M> {
  const rules = formatRulesOf(options);
  if ('repliesIn' in rules) return rules as DialectRules<M>;
  throw new TypeError(`no model is sent messages of ${rules.name}: a conversation has those that one is`);
}
