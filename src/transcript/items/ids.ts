/**
 * The ids and the names of calls as the Responses API takes them, and what only a response that was kept may hold.
 * Before everything else, so that the rest can trust that a call has an id and an output names its call.
 *
 * @module
 */
import type { IdPolicy } from '../dialect.ts';
import { field, isRecord, isSameList, recordsIn, textIn, without } from '../reading/fields.ts';
import { createIdBook, type IdBook } from '../reading/id-book.ts';
import { legalName, type IdRule } from '../reading/ids.ts';
import { valueText } from '../words/values.ts';
import {
  callIdOf,
  inputOf,
  isCall,
  isOutput,
  isProduced,
  isReasoning,
  isReply,
  nameOf,
  type OpenAIResponsesItem,
} from './item.ts';

/** What links a call and its output: any characters, at most 64. */
export const itemId: IdRule = { pattern: /^[^]+$/, longest: 64 };

/** The same for items that may go to any model of OpenAI, also by Chat Completions. */
export const anyItemId: IdRule = { ...itemId, longest: 40 };

/** What ids may be, and what keeps what it has. */
export interface WithIdsOptions {
  readonly rule?: IdRule | undefined;
  /** How many of the items the server holds: it knows its calls by the ids that they have. */
  readonly heldCount?: number;
  /** Whether tools keep names that no provider takes. */
  readonly keepsNames?: boolean;
}

/**
 * The same items with a `call_id` in every call and every output; those that had them are the same objects.
 */
export function withIds(
  items: readonly OpenAIResponsesItem[],
  policy: IdPolicy,
  { rule = itemId, heldCount = 0, keepsNames = policy === 'keep' }: WithIdsOptions = {},
): readonly OpenAIResponsesItem[] {
  const book = createIdBook(rule, policy);
  const held = new Set(items.slice(0, heldCount).filter(isCall).map(callIdOf));
  let before: OpenAIResponsesItem | undefined;
  return items.map((item, at) => {
    if (isProduced(item)) {
      const goesOn = before !== undefined && isProduced(before);
      // After its calls the model says nothing more, until they are answered.
      if (!goesOn || (isCall(before as OpenAIResponsesItem) && (isReasoning(item) || isReply(item))))
        book.beginReply(goesOn);
    }
    before = item;
    if (at < heldCount || (isOutput(item) && held.has(callIdOf(item)))) return item;
    return withoutParsed(withoutStatus(itemWithId(withJson(item), book, keepsNames)));
  });
}

function itemWithId(item: OpenAIResponsesItem, book: IdBook, keepsNames: boolean): OpenAIResponsesItem {
  if (isOutput(item)) {
    const given = callIdOf(item);
    const id = book.result(given, textIn(field(item, 'name')));
    return id === undefined || id === given ? item : changed(item, { call_id: id });
  }
  const name = nameOf(item);
  if (!isCall(item) || name === undefined) return item;
  const given = callIdOf(item);
  const id = book.call(given, name, () => valueText(inputOf(item)));
  const called = id === given ? item : changed(item, { call_id: id });
  const isNamed = item.type === 'function_call' || item.type === 'custom_tool_call';
  const legal = isNamed && !keepsNames ? legalName(name) : name;
  return legal === name ? called : changed(called, { name: legal });
}

/** Some servers give the arguments as an object. */
function withJson(item: OpenAIResponsesItem): OpenAIResponsesItem {
  const given = item.type === 'function_call' ? field(item, 'arguments') : undefined;
  return isRecord(given) ? changed(item, { arguments: valueText(given) }) : item;
}

function withoutStatus(item: OpenAIResponsesItem): OpenAIResponsesItem {
  if (!isReasoning(item) || (field(item, 'status') ?? undefined) === undefined) return item;
  return without(item, 'status');
}

/** What the parser of the API's client adds, the API refuses on the way back. */
function withoutParsed(item: OpenAIResponsesItem): OpenAIResponsesItem {
  const content = field(item, 'content');
  if (!isReply(item) || !Array.isArray(content)) return without(item, 'parsed_arguments');
  const parts = recordsIn(content).map((part) => without(part, 'parsed'));
  return isSameList(parts, content) ? item : changed(item, { content: parts });
}

function changed(item: OpenAIResponsesItem, changes: Readonly<Record<string, unknown>>): OpenAIResponsesItem {
  return { ...item, ...changes };
}
