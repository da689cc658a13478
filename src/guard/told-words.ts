/**
 * The words for a model that a door puts in the place of a framework's own, from the dialect that its caller gives.
 *
 * @module
 */
import { isObject, show } from '../core/foundation/check.ts';
import type { CancelReason } from '../core/foundation/reason.ts';
import type { TurnReport } from '../core/interrupt/public-types/turn-report.ts';

/** The outcome of a call, as a dialect takes it. */
export type ToldOutcome = TurnReport<unknown>['calls'][number];

/** The two functions of a dialect that have the words. */
export interface WordsOf {
  reply(reply: unknown): readonly object[];
  toolResults(
    outcomes: readonly ToldOutcome[],
    options?: { readonly reason?: CancelReason | undefined },
  ): readonly object[];
}

/** @throws TypeError – no dialect. */
export function requireDialect(dialect: unknown): asserts dialect is WordsOf {
  const { reply, toolResults } = (isObject(dialect) ? dialect : {}) as Partial<WordsOf>;
  if (typeof reply === 'function' && typeof toolResults === 'function') return;
  throw new TypeError(
    `options.dialect must be a dialect, such as \`openaiChat\` of 'desist/transcript/openai-chat', got ${show(dialect)}`,
  );
}

/**
 * What the model reads of a call.
 *
 * @param reason Why the turn ended, if it has.
 */
export function outcomeWords(dialect: WordsOf, outcome: ToldOutcome, reason: CancelReason | undefined): string {
  return saidIn(dialect.toolResults([outcome], { reason }));
}

/** What a message, its content, or a part of it says in words, in whatever dialect. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  // A sum, and not a join: while a reply streams, the words so far are not copied for each that comes.
  if (Array.isArray(value)) return value.reduce((all: string, one: unknown) => all + textOf(one), '');
  if (!isObject(value)) return '';
  const { type, text, content, output } = value as Readonly<Record<string, unknown>>;
  return type === 'thinking' || type === 'toolCall' ? '' : textOf(text ?? content ?? output);
}

/** What results say, also where a dialect has a place of its own for it. */
function saidIn(results: unknown): string {
  const text = textOf(results);
  if (text !== '' || !isObject(results)) return text;
  if (Array.isArray(results)) return results.reduce((all: string, one: unknown) => all + saidIn(one), '');
  const own = results as Readonly<Record<string, unknown>>;
  const place = places.find((name) => own[name] !== undefined);
  return place === undefined ? '' : saidIn(own[place]);
}

/** Of the AI SDK and of Gemini. */
const places = ['value', 'reason', 'error', 'response', 'functionResponse', 'parts', 'output', 'content'];
