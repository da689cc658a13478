/**
 * The shapes that LangChain takes for a message, and how to read and to change one without its classes.
 * Structural: a `BaseMessage` of any version fits, and so does everything that LangChain makes one of.
 *
 * @module
 */
import { show, wrongType } from '../../../core/foundation/check.ts';
import { field, isRecord, isSameList, recordsIn, textIn, without } from '../../reading/fields.ts';
import type { TurnReader } from '../rules.ts';

/**
 * A message of LangChain: an instance of its classes, or one of the forms that it coerces to one: `{ role, content }`,
 * `{ type, content }`, a serialized message, `[role, content]`, and a text for a message of the user.
 *
 * @since 0.1.0
 */
export type LangChainMessage = string | object;

/**
 * What settling adds to a transcript of LangChain's: messages without a class, which LangChain takes wherever it takes
 * messages. `coerceMessageLikeToMessage` of `@langchain/core/messages` makes instances of them.
 *
 * @since 0.1.0
 */
export type LangChainAddition =
  | {
      role: 'tool';
      tool_call_id: string;
      name: string;
      content: string | { type: 'text'; text: string }[];
      status: 'success' | 'error';
    }
  | {
      role: 'assistant';
      content: string;
      tool_calls?: { type: 'tool_call'; id: string; name: string; args: Record<string, unknown> }[];
    };

/** A text as a message of the user. */
export function askText(text: string): LangChainMessage {
  return { role: 'user', content: text };
}

/** Who speaks, whatever a form calls it. */
export type Speaker = 'ai' | 'tool' | 'human' | 'system' | 'other';

const speakers = new Map<unknown, Speaker>([
  ['ai', 'ai'],
  ['assistant', 'ai'],
  ['tool', 'tool'],
  ['human', 'human'],
  ['user', 'human'],
  ['system', 'system'],
  ['developer', 'system'],
]);

/** Who speaks in a message. */
export function speakerOf(message: LangChainMessage): Speaker {
  if (typeof message === 'string') return 'human';
  return speakers.get(nameOf(message)) ?? 'other';
}

function nameOf(message: object): unknown {
  if (Array.isArray(message)) return message[0] as unknown;
  for (const method of ['getType', '_getType']) {
    const getType = field(message, method);
    if (typeof getType === 'function') return getType.call(message) as unknown;
  }
  if (!isSerialized(message)) return field(message, 'role') ?? field(message, 'type');
  const path = field(message, 'id');
  const className = Array.isArray(path) ? textIn(path.at(-1)) : undefined;
  return className?.replace(/Message(?:Chunk)?$/, '').toLowerCase();
}

/** A message as `JSON.stringify` leaves it. */
function isSerialized(message: object): boolean {
  return field(message, 'lc') === 1 && isRecord(field(message, 'kwargs'));
}

/** The fields of a message, wherever its form keeps them. */
export function fieldsOf(message: LangChainMessage): object {
  if (typeof message === 'string') return { content: message };
  if (Array.isArray(message)) return { content: message[1] as unknown };
  return isSerialized(message) ? (field(message, 'kwargs') as object) : message;
}

/** A field of a message, wherever its form keeps it. */
export function read(message: LangChainMessage, name: string): unknown {
  return field(fieldsOf(message), name);
}

/** The items of a response, which LangChain keeps beside the message and sends in its place. */
export function itemsOf(message: LangChainMessage): readonly object[] {
  const about = read(message, 'response_metadata');
  return isRecord(about) ? recordsIn(field(about, 'output')) : [];
}

/** The message with these items of a response in its place; without any, what is sent is read from the message. */
export function withItems(message: LangChainMessage, items: readonly object[]): LangChainMessage {
  if (isSameList(items, itemsOf(message))) return message;
  const about = read(message, 'response_metadata') as object;
  return change(message, {
    response_metadata: items.length === 0 ? without(about, 'output') : { ...about, output: items },
  });
}

/** The message with other fields, in the form it had: a changed instance is one of the same class. */
export function change(message: LangChainMessage, changes: Readonly<Record<string, unknown>>): LangChainMessage {
  if (typeof message === 'string') return { role: 'user', content: message, ...changes };
  if (Array.isArray(message)) return { role: message[0] as unknown, content: message[1] as unknown, ...changes };
  if (isSerialized(message)) return { ...message, kwargs: { ...fieldsOf(message), ...changes } };
  if (isPlain(message)) return { ...message, ...changes };
  const kwargs = field(message, 'lc_kwargs');
  // LangChain writes a message down by the names in here.
  const written = isRecord(kwargs) ? { lc_kwargs: copyOf(kwargs, changes) } : {};
  return copyOf(message, { ...changes, ...written });
}

/** Whether a message is of no class. */
function isPlain(message: object): boolean {
  const prototype = Object.getPrototypeOf(message) as object | null;
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}

/** What an instance says, each of these fields rewritten; plain forms are rewritten as a whole. */
export function rewrite(message: LangChainMessage, each: <T>(value: T) => T): LangChainMessage {
  const plain = each(message);
  if (plain !== message || typeof message === 'string' || isPlain(message)) return plain;
  const names = ['content', 'tool_calls', 'invalid_tool_calls', 'additional_kwargs', 'response_metadata'];
  const made = names.map((name) => [name, each(read(message, name))] as const);
  const changes = made.filter(([name, value]) => value !== read(message, name));
  return changes.length === 0 ? message : change(message, Object.fromEntries(changes));
}

/** Property by property, because LangChain computes some of them at the first read. */
function copyOf(object: object, changes: Readonly<Record<string, unknown>>): object {
  const properties = Object.getOwnPropertyDescriptors(object) as Record<PropertyKey, PropertyDescriptor>;
  for (const [name, value] of Object.entries(changes)) {
    properties[name] = { value, writable: true, enumerable: true, configurable: true };
  }
  return Object.create(Object.getPrototypeOf(object) as object | null, properties) as object;
}

/** Refuses what LangChain makes no message of. */
export function requireLangChainMessage(name: string, message: unknown): void {
  if (typeof message === 'string') return;
  if (typeof message !== 'object' || message === null) {
    throw wrongType(name, 'a message', message);
  }
  if (isRecord(field(message, 'data')) && field(message, 'content') === undefined) {
    const hint = 'mapStoredMessagesToChatMessages() of @langchain/core/messages makes messages of them';
    throw new TypeError(`${name} must be a message, got one as it is stored; ${hint}`);
  }
  if (typeof nameOf(message) === 'string') return;
  throw new TypeError(`${name} must say who speaks (getType, role or type), got ${show(message)}`);
}

/** Who speaks here, and how the model says something. */
export const langChainTurns: TurnReader<LangChainMessage> = {
  isPrompt: (message) => speakerOf(message) === 'human',
  isReply: (message) => speakerOf(message) === 'ai',
  say: (content) => ({ role: 'assistant', content }),
};
