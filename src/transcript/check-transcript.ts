/**
 * Tells whether a provider would take a transcript, and if not, where and why.
 * Apart from settling, of which it is the judge.
 *
 * @module
 */
import { requireOneOf } from '../core/foundation/check.ts';
import { dialects, type TranscriptDialect, type TranscriptMessages } from './dialects/table.ts';
import { requireMessages } from './require-messages.ts';

/**
 * Whose rules to check by.
 *
 * @since 0.1.0
 */
export interface CheckTranscriptOptions<D extends TranscriptDialect = TranscriptDialect> {
  readonly dialect: D;
}

/**
 * One place where a transcript breaks a rule.
 *
 * @since 0.1.0
 */
export interface TranscriptViolation {
  /** The index of the message. */
  readonly at: number;
  /** The name of the rule. */
  readonly rule: string;
  /** What is wrong, in words. */
  readonly what: string;
}

/**
 * Lists every rule of the provider that a transcript breaks; an empty list means that it can be sent.
 *
 * It knows the rules about calls, results, reasoning and empty texts. It does not know your model's limits, nor whether
 * an image is one.
 *
 * @param messages The transcript, as the provider's SDK types it.
 * @param options The dialect.
 * @returns The violations; those of one message stand in the order in which its rules are read.
 * @throws TypeError – `messages` is not a list of messages, or there is no such dialect.
 * @example A call that nobody answered
 * ```ts
 * import { checkTranscript } from 'desist/transcript'
 *
 * const call = { id: 'call_1', type: 'function', function: { name: 'remove', arguments: '{}' } }
 * const [violation] = checkTranscript([{ role: 'assistant', tool_calls: [call] }], { dialect: 'openai-chat' })
 * violation?.rule // => 'call-answered'
 * ```
 * @since 0.1.0
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- without M, messages written in place may hold no field that the rules do not need
export function checkTranscript<const D extends TranscriptDialect, M extends TranscriptMessages[D]>(
  messages: readonly M[],
  options: CheckTranscriptOptions<D>,
): readonly TranscriptViolation[] {
  const name = requireOneOf('options.dialect', options.dialect, Object.keys(dialects) as D[]);
  requireMessages(messages, dialects[name].requireMessage);
  const violations: TranscriptViolation[] = [];
  dialects[name].check(messages, (at, rule, what) => violations.push({ at, rule, what }));
  return violations;
}
