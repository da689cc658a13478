/**
 * What a loop needs of Ollama's messages besides settling: a reply as a message, its calls, and their results.
 *
 * @module
 */
import { resultFromAnswer } from '../../chat/results.ts';
import type { TranscriptCall } from '../../dialect.ts';
import { field, isRecord, textIn } from '../../reading/fields.ts';
import type { AnsweredCall } from '../rules.ts';
import { argumentsOf, callsOf, contentText, nameOf, plainMessage, replyOf, type OllamaChatMessage } from './message.ts';
import { idsOf, resultMessage } from './translate.ts';

/** A reply as a message; none for one that says nothing. */
export function repliesInOllama(value: unknown): readonly OllamaChatMessage[] | undefined {
  const reply = replyOf(value);
  if (reply === undefined) return undefined;
  return callsOf(reply).length > 0 || textIn(plainMessage(reply).content) !== undefined ? [reply] : [];
}

/** The calls of replies. */
export function callsInOllama(messages: readonly OllamaChatMessage[]): readonly TranscriptCall[] {
  return messages.flatMap((message) => {
    const calls = callsOf(message);
    const ids = idsOf(calls);
    return calls.flatMap((raw, i) => {
      const [id, name] = [ids[i], nameOf(raw)];
      return id === undefined || name === undefined ? [] : [{ id, name, input: argumentsOf(raw), raw }];
    });
  });
}

/** One message for each result. */
export function resultsForOllama(answered: readonly AnsweredCall[]): readonly OllamaChatMessage[] {
  return answered.map(({ outcome, answer }) => {
    const call: unknown = outcome.call;
    const raw = isRecord(call) ? (field(call, 'raw') ?? call) : undefined;
    const isOwn = isRecord(raw) && isRecord(field(raw, 'function'));
    return resultMessage(outcome.name, contentText(resultFromAnswer('', answer).content), isOwn ? raw : undefined);
  });
}
