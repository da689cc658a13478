/**
 * Refuses what is not a transcript, by naming the message and the block.
 * In a file of its own because settling and checking refuse the same input in the same words and share nothing else.
 *
 * @module
 */
import { requireText, show, wrongType } from '../../core/foundation/check.ts';
import { readable } from '../words/values.ts';
import { field, isRecord, recordsIn } from './fields.ts';
import { mapMessages } from './readable.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Refuses what is not one message of a dialect; `name` is its place, for the error. */
export type RequireMessage = (name: string, message: unknown) => void;

/** What a message of a dialect has to be. */
export interface MessageRules {
  readonly name: string;
  readonly requireMessage: RequireMessage;
  /** What a message, or a reply or what that is wrapped in, holds that only others read: it would be lost without a word. */
  readonly foreignIn?: ((message: Fields, isReply?: boolean) => string | undefined) | undefined;
}

/**
 * Refuses anything but a list of messages of a dialect.
 *
 * @throws TypeError – anything else.
 */
export function requireMessages(messages: unknown, rules: MessageRules): void {
  mapMessages(requireList('messages', messages as readonly unknown[]), (message, name) => {
    requireMessage(rules, name, message);
  });
}

/** Refuses anything but a message of a dialect. */
export function requireMessage(
  { name: dialect, requireMessage: requireOne, foreignIn }: MessageRules,
  name: string,
  message: unknown,
): void {
  requireOne(name, message);
  const foreign = isRecord(message) ? foreignIn?.(message as Fields) : undefined;
  if (foreign !== undefined) throw new TypeError(`${name} must be a message of ${dialect}, got one with ${foreign}`);
}

/**
 * What only some dialects have in a message: the fields of a call, also of the old form, and its result, and the types of blocks. A type that
 * nobody is known to have is new, and may be the dialect's own. Clients with names of their own, as that of Mistral, have
 * `toolCalls`.
 */
const fields = ['parts', 'tool_calls', 'tool_call_id', 'call_id', 'callId', 'toolCalls', 'function_call'];
const blockType = /^(?:tool(?:[-_](?:call|result)|_use)|(?:(?:in|out)put_)?text|image(?:_url)?|document)$/;

/**
 * What a message holds that its dialect does not read: calls, results and contents in the forms of others, or all that it
 * says in a place of its own.
 *
 * @param own The forms that the dialect reads.
 */
export function foreignBut(own: readonly string[], message: Fields): string | undefined {
  const { content } = message;
  const isForeign = (form: string): boolean => !own.includes(form);
  return (
    fields.find((name) => message[name] && (name !== 'parts' || content === undefined) && isForeign(name)) ??
    recordsIn(content)
      .map((block) => String(field(block, 'type')))
      .find((type) => blockType.test(type) && isForeign(type)) ??
    // Of a message that says a text alone nothing else tells: Anthropic's has a reason, null until it is whole, and Ollama's
    // stands beside one.
    ['stop_reason', 'done_reason'].find((name) => name in message && isForeign(name))
  );
}

/**
 * What a call of a message has its arguments in, of two forms: LangChain has `args` beside its name, and Ollama an object
 * for `arguments`.
 */
export function foreignArguments(form: 'args' | 'arguments', message: Fields): string | undefined {
  return recordsIn(message['tool_calls']).some((call) => {
    const body = field(call, 'function');
    return isRecord(body) ? form === 'arguments' && isRecord(field(body, form)) : field(call, form);
  })
    ? form
    : undefined;
}

/** An object with a role, whose content, where it is a list, is a list of objects with a type. */
export function requireRoleAndContent(name: string, message: unknown): void {
  const { role, content } = requireRecord(name, message);
  requireText(`${name}.role`, role);
  requireBlocks(`${name}.content`, content);
}

/** Where it is a list, a list of objects with a type. */
export function requireBlocks(name: string, list: unknown): void {
  if (!Array.isArray(list)) return;
  requireRecords(name, list).forEach(({ type }, i) => {
    requireText(`${name}[${String(i)}].type`, type);
  });
}

/** A list of objects, without holes. */
export function requireRecords(name: string, value: unknown): readonly Fields[] {
  return Array.from(requireList(name, value as readonly unknown[]), (one, i) =>
    requireRecord(`${name}[${String(i)}]`, one),
  );
}

/** A list: a text is none. */
export function requireList<T>(name: string, value: readonly T[]): readonly T[] {
  const list = readable(value);
  if (!Array.isArray(list)) throw wrongType(name, 'an array', list);
  return list as readonly T[];
}

/** An object that is no list. */
export function requireRecord(name: string, value: unknown): Fields {
  const record = readable(value);
  if (!isRecord(record)) throw wrongType(name, 'an object', record);
  return record as Fields;
}

/** The error of an answer to nothing. */
export function noAnswer(message: object): TypeError {
  return new TypeError(`an answer must be to what waits here, got ${show(JSON.stringify(message))}`);
}
