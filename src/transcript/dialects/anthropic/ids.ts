/**
 * The ids and the names of calls as the Messages API takes them.
 * Before everything else, so that the rest can trust that a call has an id and a result names its call.
 *
 * @module
 */
import type { IdPolicy } from '../../dialect.ts';
import { field, isSameList, textIn } from '../../reading/fields.ts';
import { createIdBook } from '../../reading/id-book.ts';
import { anyId, legalId, legalName, type IdRule } from '../../reading/ids.ts';
import type { CallIds } from '../../reading/id-book.ts';
import { valueText } from '../../words/values.ts';
import { blocksOf, isServerCall, isServerResult, type AnthropicBlock, type AnthropicMessage } from './message.ts';

/** What the API takes for an id. */
export const anthropicId: IdRule = { ...anyId, longest: 256 };

/** The name of a tool as the API takes it: it may be longer than elsewhere. */
function anthropicName(name: string): string {
  return /^[a-zA-Z0-9_-]{1,128}$/.test(name) ? name : legalName(name);
}

/** The same messages with an id in every call and every result; those that had them are the same objects. */
export function withIds(
  messages: readonly AnthropicMessage[],
  policy: IdPolicy,
  keepsNames: boolean = policy === 'keep',
): readonly AnthropicMessage[] {
  const book = createIdBook(anthropicId, policy);
  return messages.map((message, at) => {
    // Messages of the model that follow each other are one turn.
    if (message.role === 'assistant' && messages[at - 1]?.role !== 'assistant') book.beginReply();
    return named(message, book, policy, keepsNames);
  });
}

/** The message with the ids that a book says; by default everything else in it stays as it is. */
export function named(
  message: AnthropicMessage,
  book: CallIds,
  policy: IdPolicy = 'keep',
  keepsNames = true,
): AnthropicMessage {
  // A text holds no call.
  if (typeof message.content === 'string') return message;
  const blocks = blocksOf(message.content);
  const made = blocks.map((block) => blockWithId(block, message.role, book, policy, keepsNames));
  return isSameList(made, blocks) ? message : { ...message, content: made };
}

function blockWithId(
  block: AnthropicBlock,
  role: string,
  book: CallIds,
  policy: IdPolicy,
  keepsNames: boolean,
): AnthropicBlock {
  if (block.type === 'tool_result')
    return changed(block, 'tool_use_id', book.result(textIn(field(block, 'tool_use_id'))));
  if (isServerCall(block) || isServerResult(block)) {
    const name = isServerCall(block) ? 'id' : 'tool_use_id';
    const id = textIn(field(block, name));
    return id === undefined || policy === 'keep' ? block : changed(block, name, legalId(id, anthropicId));
  }
  const name = textIn(field(block, 'name'));
  if (block.type !== 'tool_use' || role !== 'assistant' || name === undefined) return block;
  const id = book.call(textIn(field(block, 'id')), name, () => valueText(field(block, 'input')));
  const called = changed(block, 'id', id);
  return keepsNames ? called : changed(called, 'name', anthropicName(name));
}

function changed(block: AnthropicBlock, name: string, value: string | undefined): AnthropicBlock {
  return value === undefined || field(block, name) === value ? block : { ...block, [name]: value };
}
