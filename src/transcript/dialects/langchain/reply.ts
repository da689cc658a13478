/**
 * Writes the calls that stay, and content that can be sent, into a reply.
 * The second half of settling one message; which calls stay is decided before.
 *
 * @module
 */
import { field, isRecord, isSameList, recordsIn, textIn, without } from '../../reading/fields.ts';
import { entryOf, isCallBlock, type LangChainCall } from './calls.ts';
import { isBlankText, isStandard, isThinking, isThinkingOf, sealOf, withSeals } from './content.ts';
import { change, itemsOf, read, withItems, type LangChainMessage } from './message.ts';

/**
 * The message with the calls that stay, all of them listed: the same object if it was so already.
 *
 * @param isCut It was cut just now.
 */
export function withCalls(
  message: LangChainMessage,
  calls: readonly LangChainCall[],
  isCut: boolean,
): LangChainMessage {
  const listed: unknown = read(message, 'tool_calls');
  const before = Array.isArray(listed) ? (listed as readonly unknown[]) : [];
  const more = read(message, 'additional_kwargs');
  const hasRaw = before.length === 0 && isRecord(more) && recordsIn(field(more, 'tool_calls')).length > 0;
  const entries = calls.map(entryOf);
  const isSame = isSameList(before, entries);
  const invalid = recordsIn(read(message, 'invalid_tool_calls'));
  // What was cut inside its arguments never ran.
  const isEmptied = isCut && invalid.length > 0;
  if (isSame && !hasRaw && !isEmptied) return message;
  const ids = new Set<unknown>(calls.map(({ id }) => id));
  const changes: Record<string, unknown> = { tool_calls: entries };
  // From the chunks LangChain makes the calls anew whenever it copies a message.
  if (recordsIn(read(message, 'tool_call_chunks')).length > 0) changes['tool_call_chunks'] = calls.map(chunkOf);
  if (invalid.length > 0) {
    changes['invalid_tool_calls'] = isEmptied ? [] : invalid.filter((one) => !ids.has(field(one, 'id')));
  }
  if (isRecord(more) && 'tool_calls' in more) {
    changes['additional_kwargs'] = without(more, 'tool_calls');
  }
  return change(message, changes);
}

/** Whether the items of a response have no other calls than these. */
export function hasItemsOf(message: LangChainMessage, calls: readonly LangChainCall[]): boolean {
  const ids = new Set<unknown>(calls.flatMap(({ id, args }) => (args === undefined ? [] : [id])));
  return itemsOf(message).every((item) => !isCallItem(item) || ids.has(field(item, 'call_id')));
}

function isCallItem(item: object): boolean {
  return /_call$/.test(String(field(item, 'type'))) && textIn(field(item, 'call_id')) !== undefined;
}

function chunkOf({ id, name, args }: LangChainCall, index: number): object {
  return { type: 'tool_call_chunk', id, name, args: JSON.stringify(args ?? {}), index };
}

/** The message with content that can be sent: the same object if it could be already. */
export function withLegalContent(message: LangChainMessage, calls: readonly LangChainCall[]): LangChainMessage {
  const content = read(message, 'content');
  if (!Array.isArray(content)) return message;
  const given = content as readonly unknown[];
  const blocks = isStandard(message) ? withSeals(given) : given;
  const isSealed = isThinkingOf(message);
  const isInBlocks = isStandard(message);
  const byId = new Map(calls.map((call) => [call.id, call]));
  const kept = blocks.flatMap((block): unknown[] => {
    if (!isRecord(block)) return [block];
    if (isBlankText(block) || (isSealed(block) && sealOf(block) === undefined)) return [];
    const type = field(block, 'type');
    if (isInBlocks && type === 'tool_call_chunk') return [];
    if (!isCallBlock(block)) return [block];
    const call = byId.get(textIn(field(block, 'id')));
    if (call === undefined) return [];
    if (call.args === undefined) return [{ ...block, ...emptied(block) }];
    if (!isInBlocks || type !== 'tool_call' || isRecord(field(block, 'args'))) return [block];
    // A stream leaves the arguments in pieces of their own, behind the block that is sent.
    return [{ ...block, args: call.args }];
  });
  const sent = isInBlocks ? [...kept, ...unsentCalls(kept, calls)] : kept;
  const isSame = isSameList(sent, given);
  return isSame ? message : change(message, { content: sent.length === 0 ? '' : sent });
}

/** Of standard blocks nothing is sent but themselves, and a stream leaves calls out of them. */
function unsentCalls(blocks: readonly unknown[], calls: readonly LangChainCall[]): readonly object[] {
  const ids = new Set(recordsIn(blocks).map((block) => (isCallBlock(block) ? field(block, 'id') : undefined)));
  const unsent = calls.filter(({ id }) => !ids.has(id));
  return unsent.map(({ id, name, args }) => ({ type: 'tool_call', id, name, args: args ?? {} }));
}

function emptied(block: object): object {
  return field(block, 'type') === 'tool_use' ? { input: {} } : { args: {} };
}

/** No reply may end in a thought: what that led to never came. A call that is in no block stands behind them all. */
export function withoutLastThoughts(message: LangChainMessage, calls: readonly LangChainCall[]): LangChainMessage {
  const items = itemsOf(message);
  const own = withItems(
    message,
    upTo(items, (item) => field(item, 'type') !== 'reasoning'),
  );
  const content = read(own, 'content');
  if (!Array.isArray(content) || unsentCalls(content, calls).length > 0) return own;
  const isThought = (block: unknown) => isRecord(block) && (isThinking(block) || field(block, 'type') === 'reasoning');
  const kept = upTo(content as readonly unknown[], (block) => !isThought(block));
  return kept.length === content.length ? own : change(own, { content: kept.length === 0 ? '' : kept });
}

function upTo<T>(list: readonly T[], isEnd: (one: T) => boolean): readonly T[] {
  return list.slice(0, list.map((one) => isEnd(one)).lastIndexOf(true) + 1);
}
