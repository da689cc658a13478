/**
 * What a loop needs of the AI SDK besides settling: what a model call gave as messages, and the results of its calls.
 *
 * @module
 */
import { isCutShort, replyEnd } from '../../../core/foundation/reply-end.ts';
import { field, isRecord, recordsIn } from '../../reading/fields.ts';
import { legalName } from '../../reading/ids.ts';
import { replyIn } from '../../reading/reply-in.ts';
import type { AnsweredCall, SaidCall } from '../rules.ts';
import { isBlank, type AISDKMessage, type AISDKPart } from './message.ts';
import { withIds } from './model/model-ids.ts';
import { callIdOf, partsOf, replyOf } from './model/model-message.ts';
import { denial, resultFromAnswer } from './model/model-results.ts';

/** What a call of the SDK gave as messages: all of its steps where it ran the tools itself. */
export function repliesInAISDK(value: unknown): readonly AISDKMessage[] | undefined {
  const replies = repliesIn(value);
  return replies && withIds(replies, 'normalise', true);
}

function repliesIn(value: unknown): readonly AISDKMessage[] | undefined {
  const messages = isRecord(value) ? messagesIn(value) : undefined;
  if (messages !== undefined) return messages;
  const message = replyIn(value, replyOf);
  if (message === undefined) return undefined;
  const parts = partsOf(message);
  const kept = parts.filter((part) => !isBlank(part));
  if (kept.length === 0) return [];
  return [
    kept.length === parts.length && typeof message.content !== 'string' ? message : { ...message, content: kept },
  ];
}

/** Of a result of `generateText`, what it gives back; of a fold, what it has put together. */
function messagesIn(value: object): readonly AISDKMessage[] | undefined {
  const response = field(value, 'response');
  // Of several steps a newer major has only the last one in its response.
  const all = field(value, 'responseMessages');
  const list = all ?? field(isRecord(response) ? response : value, 'messages');
  if (!Array.isArray(list)) return undefined;
  const messages = list as readonly AISDKMessage[];
  // The SDK has an answer of its own to a call that it could not read.
  const halves = new Set(unreadIn(value).map(({ id }) => id));
  if (halves.size === 0) return messages;
  const kept = messages.map((one) => ({ ...one, content: partsOf(one).filter((part) => !halves.has(callIdOf(part))) }));
  return kept.filter(({ content }) => content.length > 0);
}

/** The calls of a reply that was cut short which the SDK could not read: those were no calls yet. */
export function unreadIn(value: object): readonly { readonly id: unknown; readonly name: unknown }[] {
  if (!isCutShort(replyEnd(field(value, 'finishReason')))) return [];
  const invalid = recordsIn(field(value, 'toolCalls')).filter((call) => field(call, 'invalid') === true);
  return invalid.map((call) => ({ id: field(call, 'toolCallId'), name: field(call, 'toolName') }));
}

/** All results in one message. */
export function resultsForAISDK(answered: readonly AnsweredCall[]): readonly AISDKMessage[] {
  return [{ role: 'tool', content: answered.map(resultOf) }];
}

/** By the name that the call has in a request; to what the provider asks, a no. */
function resultOf({ outcome, answer }: AnsweredCall): AISDKPart {
  const { raw, isHosted } = (isRecord(outcome.call) ? outcome.call : {}) as Partial<SaidCall>;
  if (raw !== undefined && isHosted === true) return denial(field(raw, 'approvalId'), answer);
  return resultFromAnswer({ id: outcome.id, name: legalName(outcome.name) }, answer);
}
