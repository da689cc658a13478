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

/** Whether there is anything in a message that tells it from others. */
export function says({ ids, words }: Likeness): boolean {
  return ids.length > 0 || words !== '';
}

/** Whether a message is one of a person, or of the program in their name. */
export function isPlain({ kind, ids }: Likeness): boolean {
  return kind === 'user' && ids.length === 0;
}

interface Message {
  readonly role?: unknown;
  readonly type?: unknown;
  readonly content?: unknown;
  readonly tool_calls?: unknown;
  getType?(): unknown;
}

function ofObject(message: Message): Likeness {
  const { content, tool_calls: calls } = message;
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

/**
 * What a message has beyond these ids, where a framework has joined what was given with what came behind it: the parts of
 * other calls. Nothing if it has no such parts.
 */
export function withoutIds<M>(message: M, known: ReadonlySet<string>): M | undefined {
  const { content } = (isObject(message) ? message : {}) as Message;
  if (!Array.isArray(content)) return undefined;
  const others = (content as readonly unknown[]).filter((part) => {
    const { ids } = likenessOf(part);
    return ids.length > 0 && ids.every((id) => !known.has(id));
  });
  return others.length === 0 ? undefined : { ...message, content: others };
}

/** How many messages two lists begin with alike. */
export function commonStart(one: readonly Likeness[], other: readonly Likeness[]): number {
  const end = one.findIndex((each, at) => other[at] === undefined || !isAlike(each, other[at]));
  return end === -1 ? one.length : end;
}

/**
 * Where the first list, or as much of it as the second one has, ends in the second.
 *
 * @returns How many of the second list stand before what follows, and how many of the first are not among them.
 */
export function endIn(
  given: readonly Likeness[],
  list: readonly Likeness[],
): { readonly end: number; readonly missing: number; readonly run: number } {
  for (let last = given.length - 1; last >= 0; last -= 1) {
    let best = { end: 0, run: 0 };
    for (let at = 0; at < list.length; at += 1) {
      let run = 0;
      while (run <= Math.min(last, at) && isAlike(given[last - run] as Likeness, list[at - run] as Likeness)) run += 1;
      if (run > best.run) best = { end: at + 1, run };
    }
    if (best.run > 0) return { ...best, missing: given.length - 1 - last };
  }
  return { end: 0, missing: given.length, run: 0 };
}
