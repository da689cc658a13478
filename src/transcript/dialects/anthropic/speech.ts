/**
 * What a loop needs of Anthropic's messages besides settling: a reply as a message, its calls, and their results.
 *
 * @module
 */
import type { TranscriptCall } from '../../dialect.ts';
import { field } from '../../reading/fields.ts';
import { replyIn } from '../../reading/reply-in.ts';
import { isHalfCall, type CallPlace } from '../../reading/ends/half-call.ts';
import type { AnsweredCall } from '../rules.ts';
import { withIds } from './ids.ts';
import { blocksOf, isBlankText, isCall, isThinking, replyOf, sealOf, wholeInput } from './message.ts';
import type { AnthropicMessage } from './message.ts';
import { resultFromAnswer } from './results.ts';

/** A reply as a message, without what a request may not hold; none for one that says nothing. */
export function replyInAnthropic(value: unknown): readonly AnthropicMessage[] | undefined {
  const message = replyIn(value, replyOf);
  if (message === undefined) return undefined;
  const blocks = blocksOf(message.content);
  const kept = blocks.filter((block) => !isBlankText(block) && (!isThinking(block) || sealOf(block) !== undefined));
  if (kept.length === 0) return [];
  const isSame = kept.length === blocks.length && typeof message.content !== 'string';
  return withIds([isSame ? message : { ...message, content: kept }], 'normalise', true);
}

/** The calls of replies. */
export function callsInAnthropic(messages: readonly AnthropicMessage[]): readonly TranscriptCall[] {
  return messages.flatMap(callsOfOne);
}

function callsOfOne({ role, content }: AnthropicMessage): readonly TranscriptCall[] {
  if (role !== 'assistant') return [];
  return blocksOf(content)
    .filter(isCall)
    .map((raw) => ({ id: raw.id, name: raw.name, input: wholeInput(raw) ?? field(raw, 'input'), raw }));
}

/** All results in one message. */
export function resultsForAnthropic(answered: readonly AnsweredCall[]): readonly AnthropicMessage[] {
  return [{ role: 'user', content: answered.map(({ outcome, answer }) => resultFromAnswer(outcome.id, answer)) }];
}

/** Whether a call is not whole: of the last one the API gives as much as could be read. */
export function isHalfInAnthropic(call: TranscriptCall, place: CallPlace<AnthropicMessage>): boolean {
  return isHalfCall(call, place) || (place.isCut && blocksOf(place.reply.content).at(-1) === call.raw);
}
