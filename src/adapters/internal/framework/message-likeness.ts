/**
 * Whether two messages are the same one, of which a framework has made copies, in whatever shape: the prompt has a text in
 * parts that the program gave as a string, or an instance of a class for a plain object. Compared is who speaks, and the
 * ids of calls, or where there are none the words.
 *
 * @module
 */
import { isObject } from '../../../core/inside.ts';

/** What a message is known by. */
export interface Likeness {
  /** Who speaks; for an item without a speaker its type. */
  readonly kind: string;
  /** The ids of calls, of those it asks for and of those it answers. */
  readonly ids: readonly string[];
  readonly words: string;
}

const kinds: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant' };

const idNames = new Set(['toolCallId', 'callId', 'call_id', 'tool_call_id']);

/** What a message is known by. */
export function likenessOf(message: unknown): Likeness {
  if (typeof message === 'string') return { kind: 'user', ids: [], words: message };
  // LangChain takes a pair of a role and a content as well.
  const [role, content] = Array.isArray(message) ? (message as readonly unknown[]) : [];
  return Array.isArray(message) ? ofObject({ role, content }) : ofObject(isObject(message) ? message : {});
}

/** Whether one message is a copy of the other. */
export function isAlike(one: Likeness, other: Likeness): boolean {
  if (one.kind !== other.kind) return false;
  if (one.ids.length === 0 && other.ids.length === 0) return one.words === other.words;
  return one.ids.some((id) => other.ids.includes(id));
}

interface Message {
  readonly role?: unknown;
  readonly type?: unknown;
  readonly content?: unknown;
  readonly tool_calls?: unknown;
  /** The items of a response, which LangChain sends in the place of the message. */
  readonly response_metadata?: { readonly output?: unknown } | undefined;
  getType?(): unknown;
}

function ofObject(message: Message): Likeness {
  const { tool_calls: calls, response_metadata: about } = message;
  const items = Array.isArray(about?.output) ? (about.output as readonly { readonly content?: unknown }[]) : [];
  const content = items.length === 0 ? message.content : items.flatMap((item) => item.content ?? []);
  const kind = String(message.getType?.() ?? message.role ?? message.type);
  const parts = (Array.isArray(content) ? (content as readonly unknown[]) : []).filter(isObject);
  const named = [message, ...parts].flatMap((part) => Object.entries(part).filter(([name]) => idNames.has(name))) as [
    string,
    unknown,
  ][];
  const own = (Array.isArray(calls) ? (calls as readonly unknown[]).filter(isObject) : []) as {
    readonly id?: unknown;
  }[];
  const ids = [...named.map(([, id]) => id), ...own.map(({ id }) => id)].filter(
    (id) => typeof id === 'string' && id !== '',
  ) as string[];
  const texts = parts.map((part: { readonly text?: unknown }) => part.text).filter((text) => typeof text === 'string');
  return { kind: kinds[kind] ?? kind, ids, words: typeof content === 'string' ? content : texts.join('') };
}
