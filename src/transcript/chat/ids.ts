/**
 * The ids and the names of calls as Chat Completions take them.
 * Before everything else, so that the rest can trust that a call has an id and a result names its call.
 *
 * @module
 */
import type { IdPolicy } from '../dialect.ts';
import { field, isRecord, isSameList, textIn, without } from '../reading/fields.ts';
import { createIdBook } from '../reading/id-book.ts';
import { legalName, type IdRule } from '../reading/ids.ts';
import type { CallIds } from '../reading/id-book.ts';
import { valueText } from '../words/values.ts';
import { callsOf, inputOf, nameOf, typeOf, type OpenAIChatMessage, type ToolCall } from './message.ts';

/** OpenAI takes any characters and refuses more than 40 of them. */
export const chatId: IdRule = { pattern: /^[^]+$/, longest: 40 };

/** The same messages with an id in every call and every result; those that had them are the same objects. */
export function withIds(
  messages: readonly OpenAIChatMessage[],
  policy: IdPolicy,
  keepsNames: boolean = policy === 'keep',
): readonly OpenAIChatMessage[] {
  const book = createIdBook(chatId, policy);
  const joined = policy === 'keep' ? new Set() : joinedReplies(messages);
  return messages.map((message, at) => {
    if (message.role === 'assistant') book.beginReply(messages[at - 1]?.role === 'assistant', joined.has(message));
    if (message.role === 'tool') return resultWithId(message, book);
    return withCalls(message, (call) => callWithId(withJson(call), book, keepsNames));
  });
}

/**
 * Replies that follow each other, without the first, where the results behind them are as many as their calls, each another
 * one: a gateway has made several messages of one reply, and their ids may be the same.
 */
function joinedReplies(messages: readonly OpenAIChatMessage[]): ReadonlySet<OpenAIChatMessage> {
  const joined = new Set<OpenAIChatMessage>();
  for (let at = 0; at < messages.length; at += 1) {
    const run: OpenAIChatMessage[] = [];
    for (; messages[at]?.role === 'assistant'; at += 1) run.push(messages[at] as OpenAIChatMessage);
    if (run.length < 2) continue;
    const results = new Set<string>();
    const first = at;
    for (; messages[at]?.role === 'tool'; at += 1)
      results.add(valueText(field(messages[at] as OpenAIChatMessage, 'content')));
    const calls = run.reduce((count, message) => count + callsOf(message).length, 0);
    if (calls > 0 && at - first === calls && results.size === calls)
      for (const message of run.slice(1)) joined.add(message);
    at -= 1;
  }
  return joined;
}

/** The message with the ids that a book says; everything else in it stays as it is. */
export function named(message: OpenAIChatMessage, book: CallIds): OpenAIChatMessage {
  if (message.role === 'tool') return resultWithId(message, book);
  return message.role === 'assistant' ? withCalls(message, (call) => callWithId(call, book, true)) : message;
}

function resultWithId(message: OpenAIChatMessage, book: CallIds): OpenAIChatMessage {
  const given = field(message, 'tool_call_id');
  const name = textIn(field(message, 'tool_name')) ?? textIn(field(message, 'name'));
  const id = book.result(textIn(given), name);
  if (id === given || id === undefined) return message;
  const rest = without(message, 'tool_name');
  const named: OpenAIChatMessage & { readonly tool_call_id: string } = { ...rest, tool_call_id: id };
  return named;
}

function withCalls(message: OpenAIChatMessage, change: (call: ToolCall) => ToolCall): OpenAIChatMessage {
  const calls = callsOf(message);
  const made = calls.map(change);
  if (isSameList(made, calls)) return message;
  const named: OpenAIChatMessage & { readonly tool_calls: readonly ToolCall[] } = { ...message, tool_calls: made };
  return named;
}

/** Some servers give the arguments as an object. */
function withJson(call: ToolCall): ToolCall {
  const body = field(call, 'function');
  const given = isRecord(body) ? field(body, 'arguments') : undefined;
  return isRecord(body) && isRecord(given) ? { ...call, function: { ...body, arguments: valueText(given) } } : call;
}

function callWithId(call: ToolCall, book: CallIds, keepsNames: boolean): ToolCall {
  const type = typeOf(call);
  const body = field(call, type);
  const name = nameOf(call);
  if (!isRecord(body) || name === undefined) return call;
  const id = book.call(textIn(field(call, 'id')), name, () => valueText(inputOf(call)));
  const legal = keepsNames ? name : legalName(name);
  if (id === field(call, 'id') && legal === name) return call;
  return { ...call, id, [type]: legal === name ? body : { ...body, name: legal } };
}
