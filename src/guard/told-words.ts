/**
 * The words for a model that a door puts in the place of a framework's own, from the dialect that its caller gives.
 *
 * @module
 */
import { isObject, show } from '../core/foundation/check.ts';
import type { CancelReason } from '../core/foundation/reason.ts';
import { fieldsOf } from '../core/interrupt/calls/call-identity.ts';
import type { TurnReport } from '../core/interrupt/public-types/turn-report.ts';

/** The outcome of a call, as a dialect takes it. */
export type ToldOutcome = TurnReport<unknown>['calls'][number];

/** What a dialect has for doors that need its words, and no message. */
export interface WordsOf {
  readonly texts: {
    outcome(outcome: ToldOutcome, reason: CancelReason | undefined): string;
    cut(said: string, reason: CancelReason): string;
  };
}

/** @throws TypeError – no dialect. */
export function requireDialect(dialect: unknown): asserts dialect is WordsOf {
  const { outcome, cut } = fieldsOf(fieldsOf(dialect)['texts']);
  if (typeof outcome === 'function' && typeof cut === 'function') return;
  throw new TypeError(
    `options.dialect must be a dialect, such as \`openaiChat\` of 'desist/transcript/openai-chat', got ${show(dialect)}`,
  );
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
