/**
 * What a loop needs of items besides settling: a response as items, its calls, and their outputs.
 *
 * @module
 */
import type { TranscriptCall } from '../dialect.ts';
import type { AnsweredCall } from '../dialects/rules.ts';
import { field, isRecord, textIn } from '../reading/fields.ts';
import type { IdRule } from '../reading/ids.ts';
import { itemsOf } from './cut-reply.ts';
import { withIds } from './ids.ts';
import { callIdOf, inputOf, isAnswerable, isCall, isReply, nameOf, textsOf, typeOf } from './item.ts';
import type { OpenAIResponsesItem } from './item.ts';
import { resultFromAnswer } from './results.ts';

/** A response as items, without messages that say nothing. */
export function repliesInItems(value: unknown, rule?: IdRule): readonly OpenAIResponsesItem[] | undefined {
  const items = itemsOf(value)?.filter((item) => !isReply(item) || textsOf(item).some((text) => text !== ''));
  return items && withIds(items, 'normalise', () => undefined, rule);
}

/** The calls among items. */
export function callsInItems(items: readonly OpenAIResponsesItem[]): readonly TranscriptCall[] {
  return items.flatMap(callOf);
}

function callOf(item: OpenAIResponsesItem): readonly TranscriptCall[] {
  const [id, name] = [callIdOf(item), nameOf(item)];
  if (!isCall(item) || id === undefined || name === undefined) return [];
  return [{ id, name, input: inputOf(item), raw: item }];
}

/** One output for each result, of the kind that its call wants. */
export function resultsForItems(answered: readonly AnsweredCall[]): readonly OpenAIResponsesItem[] {
  return answered.map(({ outcome, answer }) => resultFromAnswer(kindOf(outcome.call), outcome.id, answer));
}

/** What a call was of: its item says it, as it is or beside its arguments; a function where nobody does. */
function kindOf(call: unknown): string {
  const raw = isRecord(call) ? (field(call, 'raw') ?? call) : undefined;
  if (!isRecord(raw)) return 'function_call';
  const item: OpenAIResponsesItem = { type: textIn(field(raw, 'type')) };
  return isCall(item) && isAnswerable(item) ? typeOf(item) : 'function_call';
}
