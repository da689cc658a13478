/**
 * The ids and the names of calls in messages for a model: of any server, and legal for every provider, because the next
 * request may go to another one.
 * Before everything else, so that the rest can trust that a call has an id and a result names its call.
 *
 * @module
 */
import type { IdPolicy } from '../../../dialect.ts';
import { field, isSameList } from '../../../reading/fields.ts';
import { createIdBook, Named } from '../../../reading/id-book.ts';
import { anyId, legalName } from '../../../reading/ids.ts';
import type { CallIds } from '../../../reading/id-book.ts';
import { valueText } from '../../../words/values.ts';
import type { AISDKMessage, AISDKPart } from '../message.ts';
import { callIdOf, isServerCall, nameOf, partsOf } from './model-message.ts';

/** The same messages with an id in every call and every result; those that had them are the same objects. */
export function withIds(
  messages: readonly AISDKMessage[],
  policy: IdPolicy,
  keepsNames: boolean = policy === 'keep',
): readonly AISDKMessage[] {
  const book = createIdBook(anyId, policy);
  return messages.map((message, at) => {
    const { role } = message;
    if (role === 'assistant') book.beginReply(messages[at - 1]?.role === 'assistant');
    return named(message, book, keepsNames ? (own) => own : legalName);
  });
}

/** The message with the ids that a book says, and with these names. */
export function named(
  message: AISDKMessage,
  book: CallIds,
  rename: (name: string) => string = (own) => own,
): AISDKMessage {
  const { role } = message;
  if ((role !== 'assistant' && role !== 'tool') || typeof message.content === 'string') return message;
  const parts = partsOf(message);
  const made = parts.map((part) => {
    const given = callIdOf(part);
    const name = nameOf(part);
    const legal = name === undefined ? name : rename(name);
    switch (part.type) {
      case 'tool-call': {
        if (role !== 'assistant' || name === undefined) return part;
        return renamed(
          part,
          book.call(given, name, () => valueText(field(part, 'input')), isServerCall(part)),
          legal,
        );
      }
      case 'tool-result':
        return renamed(part, book.result(given, name), legal);
      default:
        return part;
    }
  });
  if (isSameList(made, parts)) return message;
  return { ...message, content: withQuestions(made, parts) };
}

/** The parts, and what is asked about calls that have other ids now. */
function withQuestions(made: readonly AISDKPart[], parts: readonly AISDKPart[]): readonly AISDKPart[] {
  const calls = new Named();
  parts.forEach((part, at) => {
    if (part.type === 'tool-call') calls.add(callIdOf(part), callIdOf(made[at] as AISDKPart) ?? '');
  });
  const asked = calls.reader();
  return made.map((part) =>
    part.type === 'tool-approval-request' ? renamed(part, asked(callIdOf(part)), nameOf(part)) : part,
  );
}

/** The part with this id and this name; the same object if it has them. */
function renamed(part: AISDKPart, id: string | undefined, name: string | undefined): AISDKPart {
  if ((id === undefined || id === callIdOf(part)) && name === nameOf(part)) return part;
  const named: AISDKPart & Readonly<Record<string, unknown>> = {
    ...part,
    ...(id === undefined ? {} : { toolCallId: id }),
    ...(name === undefined ? {} : { toolName: name }),
  };
  return named;
}
