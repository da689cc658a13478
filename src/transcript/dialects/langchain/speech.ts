/**
 * What a loop needs of LangChain's messages besides settling: a reply as a message, its calls, and their results.
 *
 * @module
 */
import type { TranscriptCall } from '../../dialect.ts';
import { legalName } from '../../reading/ids.ts';
import { replyIn } from '../../reading/reply-in.ts';
import type { AnsweredCall } from '../rules.ts';
import { callsOf } from './calls.ts';
import { replyOf, saysSomething } from './content.ts';
import { withIds } from './ids.ts';
import type { LangChainMessage } from './message.ts';
import { resultFromAnswer } from './results.ts';

/** A reply as the message that it is; none for one that says nothing. */
export function replyInLangChain(value: unknown): readonly LangChainMessage[] | undefined {
  const message = replyIn(value, replyOf);
  if (message === undefined) return undefined;
  return callsOf(message).length > 0 || saysSomething(message) ? withIds([message], 'normalise', true) : [];
}

/** The calls of replies. */
export function callsInLangChain(messages: readonly LangChainMessage[]): readonly TranscriptCall[] {
  return messages.flatMap(callsOfOne);
}

function callsOfOne(message: LangChainMessage): readonly TranscriptCall[] {
  return callsOf(message).flatMap(({ id, name, input, entry }) => {
    if (id === undefined || name === undefined) return [];
    return [{ id, name, input, raw: entry }];
  });
}

/** One message for each result. */
export function resultsForLangChain(answered: readonly AnsweredCall[]): readonly LangChainMessage[] {
  return answered.map(({ outcome, answer }) =>
    resultFromAnswer({ id: outcome.id, name: legalName(outcome.name) }, answer),
  );
}
