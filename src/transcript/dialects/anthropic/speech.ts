/**
 * What a loop needs of Anthropic's messages besides settling: a reply as a message, its calls, and their results.
 *
 * @module
 */
import type { TranscriptCall } from '../../dialect.ts';
import { field, isRecord, recordsIn } from '../../reading/fields.ts';
import { replyIn } from '../../reading/reply-in.ts';
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

/** Whether the API goes on with it: it pauses between what it runs itself. */
export function isPausedInAnthropic(value: unknown): boolean {
  return isRecord(value) && [field(value, 'stop_reason'), field(value, 'stopReason')].includes('pause_turn');
}

/** Whether a limit cut the arguments of a call: the API gives as much of them as could be read. */
export function isCutCallInAnthropic({ raw }: TranscriptCall, reply: object | undefined): boolean {
  const last = reply && recordsIn(field(reply, 'content')).at(-1);
  return last !== undefined && field(raw, 'id') === field(last, 'id');
}
