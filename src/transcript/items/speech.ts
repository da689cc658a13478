/**
 * What a loop needs of items besides settling: a response as items, its calls, and their outputs.
 *
 * @module
 */
import type { TranscriptCall } from '../dialect.ts';
import { isHalfCall, type CallPlace } from '../reading/ends/half-call.ts';
import type { AnsweredCall } from '../dialects/rules.ts';
import { field, isRecord } from '../reading/fields.ts';
import type { IdRule } from '../reading/ids.ts';
import { responseItems } from './cut-reply.ts';
import { withIds } from './ids.ts';
import { callIdOf, inputOf, isCall, isOutput, isReply, nameOf, saysSomething } from './item.ts';
import type { OpenAIResponsesItem } from './item.ts';
import { resultFromAnswer } from './results.ts';

/** A response as items, without messages that say nothing. */
export function repliesInItems(value: unknown, rule?: IdRule): readonly OpenAIResponsesItem[] | undefined {
  const items = responseItems(value)?.filter((item) => !isReply(item) || saysSomething(item));
  return items && withIds(items, 'normalise', { rule, keepsNames: true });
}

/** The calls among items that nobody has answered: what the provider ran itself comes with its output. */
export function callsInItems(items: readonly OpenAIResponsesItem[]): readonly TranscriptCall[] {
  const answered = new Set(items.filter(isOutput).map(callIdOf));
  return items.flatMap((item) => (answered.has(callIdOf(item)) ? [] : callOf(item)));
}

function callOf(item: OpenAIResponsesItem): readonly TranscriptCall[] {
  const [id, name] = [callIdOf(item), nameOf(item)];
  if (!isCall(item) || id === undefined || name === undefined) return [];
  return [{ id, name, input: inputOf(item), raw: item }];
}

/** Whether a call is not whole, as it says itself, or as its arguments show. */
export function isHalfItem<M>(call: TranscriptCall, place: CallPlace<M>): boolean {
  const [type, status] = [field(call.raw, 'type'), field(call.raw, 'status')];
  if (status === 'incomplete' || (place.isCut && status === 'in_progress')) return true;
  return (
    (type === 'function_call' || (type === 'custom_tool_call' && status !== 'completed')) && isHalfCall(call, place)
  );
}

/** One output for each result, of the kind that its call wants, and what that has no place for. */
export function resultsForItems(answered: readonly AnsweredCall[]): readonly OpenAIResponsesItem[] {
  return answered.flatMap(({ outcome, answer }) => resultFromAnswer(itemBehind(outcome.call), outcome.id, answer));
}

/** What a call was of: its item says it, as it is or beside its arguments; a function where nobody does. */
export function itemBehind(call: unknown): OpenAIResponsesItem {
  const raw = isRecord(call) ? (field(call, 'raw') ?? call) : undefined;
  const item: OpenAIResponsesItem & object = { ...(isRecord(raw) ? raw : {}) };
  return isCall(item) ? item : { ...item, type: 'function_call' };
}
