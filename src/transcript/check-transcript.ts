/**
 * Tells whether a provider would take a transcript, and if not, where and why.
 * Apart from settling, of which it is the judge.
 *
 * @module
 */
import { requireOptions, type OptionNames } from '../core/foundation/check.ts';
import type { IdPolicy, MessageFormat, TranscriptViolation } from './dialect.ts';
import { formatRulesOf } from './dialects/create-dialect.ts';

/**
 * Whose rules to check by.
 *
 * @since 0.1.0
 */
export interface CheckTranscriptOptions<M, A = never> {
  readonly dialect: MessageFormat<M, A>;
  /** Whether the provider's rules about ids and names count: `normalise`, the default, says yes. */
  readonly ids?: IdPolicy | undefined;
}

const optionNames: OptionNames<CheckTranscriptOptions<object>> = { dialect: 1, ids: 1 };

/**
 * Lists every rule of the provider that a transcript breaks; an empty list means that it can be sent.
 *
 * It knows the rules about calls, results, reasoning and empty texts. It does not know your model's limits, nor whether
 * an image is one.
 *
 * @param messages The transcript, as the provider's SDK types it.
 * @param options The dialect.
 * @returns The violations; those of one message stand in the order in which its rules are read.
 * @throws TypeError – `messages` is not a list of messages, or `dialect` is no dialect.
 * @example A call that nobody answered
 * ```ts
 * import { checkTranscript } from 'desist/transcript'
 * import { openaiChat } from 'desist/transcript/openai-chat'
 *
 * const call = { id: 'call_1', type: 'function', function: { name: 'remove', arguments: '{}' } }
 * const [violation] = checkTranscript([{ role: 'assistant', tool_calls: [call] }], { dialect: openaiChat })
 * violation?.rule // => 'call-answered'
 * ```
 * @since 0.1.0
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- without M, messages written in place may hold no field that the rules do not need
export function checkTranscript<B, A, const M extends B>(
  messages: readonly M[],
  options: CheckTranscriptOptions<B, A>,
): readonly TranscriptViolation[] {
  formatRulesOf(options);
  requireOptions(options, optionNames);
  return options.dialect.check(messages, { ids: options.ids });
}
