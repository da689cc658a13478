/**
 * What a loop needs of Chat Completions besides settling: a reply as a message, its calls, and their results.
 *
 * @module
 */
import type { TranscriptCall } from '../dialect.ts';
import type { AnsweredCall } from '../dialects/rules.ts';
import { replyIn } from '../reading/reply-in.ts';
import { callsOf, choiceIn, hasContent, idOf, inputOf, nameOf, replyOf, type OpenAIChatMessage } from './message.ts';
import { withIds } from './ids.ts';
import { resultFromAnswer } from './results.ts';

/** A reply as a message; none for one that says nothing. */
export function replyInChat(value: unknown): readonly OpenAIChatMessage[] | undefined {
  const message = replyIn(value, replyOf, choiceIn);
  if (message === undefined) return undefined;
  return callsOf(message).length > 0 || hasContent(message) ? withIds([message], 'normalise', true) : [];
}

/** The calls of replies. */
export function callsInChat(messages: readonly OpenAIChatMessage[]): readonly TranscriptCall[] {
  return messages.flatMap(callsOfOne);
}

function callsOfOne(message: OpenAIChatMessage): readonly TranscriptCall[] {
  return callsOf(message).flatMap((raw) => {
    const [id, name] = [idOf(raw), nameOf(raw)];
    return id === undefined || name === undefined ? [] : [{ id, name, input: inputOf(raw), raw }];
  });
}

/** One message for each result. */
export function resultsForChat(answered: readonly AnsweredCall[]): readonly OpenAIChatMessage[] {
  return answered.map(({ outcome, answer }) => resultFromAnswer(outcome.id, answer));
}
