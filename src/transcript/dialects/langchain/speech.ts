/**
 * What a loop needs of LangChain's messages besides settling: a reply as a message, its calls, and their results.
 *
 * @module
 */
import type { TranscriptCall } from '../../dialect.ts';
import { carriedEnd } from '../../reading/ends/carried-end.ts';
import { refusedCall } from '../../reading/ends/half-call.ts';
import { field, isRecord } from '../../reading/fields.ts';
import { legalName } from '../../reading/ids.ts';
import { replyIn } from '../../reading/reply-in.ts';
import type { AnsweredCall } from '../rules.ts';
import { callsOf } from './calls.ts';
import { replyOf, saysSomething } from './content.ts';
import { withIds } from './ids.ts';
import { fieldsOf, read, type LangChainMessage } from './message.ts';
import { resultFromAnswer } from './results.ts';

/** A reply as the message that it is; none for one that says nothing. */
export function replyInLangChain(value: unknown): readonly LangChainMessage[] | undefined {
  const message = replyIn(value, replyOf);
  if (message === undefined) return undefined;
  return callsOf(message).length > 0 || saysSomething(message) ? withIds([message], 'normalise', true) : [];
}

/** How a reply ended, by the word of whichever provider. */
export function endedInLangChain(reply: object): string | undefined {
  const fields = fieldsOf(reply);
  const word = carriedEnd([fields, field(fields, 'response_metadata'), field(fields, 'additional_kwargs')]);
  // Chunks that are put together join their words, and a server may say one in several of them.
  return word?.replace(/^(.+)\1$/, '$1');
}

/** A call that Gemini refused may stand in no part. */
export function unreadInLangChain(reply: object): readonly object[] {
  const about = read(reply, 'response_metadata');
  const said = isRecord(about) ? field(about, 'finishMessage') : undefined;
  return refusedCall(endedInLangChain(reply), said, callsOf(reply).length > 0);
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
