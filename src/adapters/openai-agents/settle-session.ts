/**
 * A session of the SDK after a stop: it holds what the conversation does, once, so that the next run goes on from there.
 *
 * Invariants: nothing is removed that the conversation does not have; whatever fails, another call completes it.
 *
 * Prior art: the SDK's own replacement of a compacted session, which restores what was there.
 *
 * @module
 */
import { isObject, show } from '../../core/inside.ts';

/**
 * A session, as far as its items go: the SDK's `MemorySession`, `OpenAIConversationsSession`, or one of your own.
 *
 * @since 0.1.0
 */
export interface AgentsSession<Item> {
  /** All items, the oldest first. */
  getItems(): PromiseLike<Item[]>;
  /** Appends items. */
  addItems(items: Item[]): PromiseLike<void>;
  /** Removes the newest item. */
  popItem(): PromiseLike<unknown>;
  /** What is left of items of the store, and of items that were given to it, where the store adds to them. */
  prepareHistoryItemsForPersistenceComparison?(items: Item[]): unknown[];
}

interface Item {
  readonly type?: unknown;
  readonly role?: unknown;
  readonly callId?: unknown;
  readonly content?: unknown;
  readonly providerData?: unknown;
}

/** What a store may give, take, or order anew; an item is the same with and without it. */
const incidental = new Set(['id', 'status', 'providerData']);

function ordered(key: string, value: unknown): unknown {
  if (incidental.has(key)) return undefined;
  if (!isObject(value) || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A message is one also without its type, and a text is one also as the only part. */
function wordy(item: unknown): unknown {
  if (!isObject(item) || !('role' in item)) return item;
  const { content } = item as Item;
  const [part, ...others] = (Array.isArray(content) ? content : []) as { readonly text?: unknown }[];
  return { type: 'message', ...item, content: (others.length === 0 ? part?.text : undefined) ?? content };
}

/** A message does; a conversation is without answers that say nothing, because providers refuse them. */
function saysSomething({ role, content }: Item): boolean {
  if (role === undefined) return false;
  if (!Array.isArray(content)) return content !== '';
  return (content as readonly { readonly text?: unknown }[]).some(({ text }) => text !== '');
}

const isCall = ({ type }: Item): boolean => typeof type === 'string' && type.endsWith('_call');

/** As the SDK stores a call and its result: their ids are those of one response, and the `callId` stays. */
function stored<I extends object>(item: I): I {
  const { type, providerData } = item as Item;
  if (type !== 'function_call' && type !== 'function_call_result') return item;
  const own: Partial<Record<'id' | 'providerData', unknown>> = { ...item };
  delete own.id;
  if (isObject(providerData)) {
    const data: { id?: unknown } = { ...providerData };
    delete data.id;
    own.providerData = data;
  }
  return own as I;
}

/**
 * Writes into a session what a turn left behind. Given a session, the SDK keeps nothing of a streamed run that was stopped but
 * its prompt, and of another one "aborted" for a call that may still run.
 *
 * What the session has stays; what the run wrote otherwise is replaced. A second call changes nothing. Begin the conversation
 * with `await session.getItems()`. A session is for one run at a time.
 *
 * @checkpoint never: it is for after the stop
 * @cleanup If the store fails it holds what it held, where it still takes that, and another call completes it.
 * @param session The session that was, or will be, given to `run`.
 * @param items `chat.messages` of the conversation.
 * @throws TypeError – as a rejection: not a session, not items, or messages or calls in the session that the items have not;
 * then nothing is written. Whatever the store throws.
 * @example
 * ```ts
 * import { settleSession } from 'desist/openai-agents'
 *
 * // with the SDK: await settleSession(session, chat.messages)
 * const items: object[] = [{ role: 'user', content: 'go' }]
 * const session = {
 *   getItems: async () => [...items],
 *   addItems: async (added: object[]) => { items.push(...added) },
 *   popItem: async () => items.pop(),
 * }
 * await settleSession(session, [{ role: 'user', content: 'go' }, { role: 'assistant', content: 'Stopped.' }])
 * items.length // => 2
 * ```
 * @source OpenAI Agents `Session`
 * @since 0.1.0
 */
export async function settleSession<I extends object>(session: AgentsSession<I>, items: readonly I[]): Promise<void> {
  const { getItems, addItems, popItem } = (isObject(session) ? session : {}) as Partial<AgentsSession<I>>;
  if (![getItems, addItems, popItem].every((each) => typeof each === 'function')) {
    throw new TypeError(`session must be a session of OpenAI Agents, got ${show(session)}`);
  }
  const given: unknown = items;
  if (!Array.isArray(given)) throw new TypeError(`items must be the messages of a conversation, got ${show(items)}`);
  const keyOf = (item: I): string =>
    JSON.stringify((session.prepareHistoryItemsForPersistenceComparison?.([item]) ?? [item]).map(wordy), ordered);
  const wanted = items.map(keyOf);
  const before = await session.getItems();
  const keys = before.map(keyOf);
  const kept = commonTo(keys, wanted);
  // What somebody said, and what may have run: removed, it would be lost.
  const known = new Set([...wanted, ...(items as readonly Item[]).filter(isCall).map(({ callId }) => callId)]);
  const lost = (before as readonly Item[]).find((item, at) => {
    if (at < kept) return false;
    return isCall(item) ? !known.has(item.callId) : saysSomething(item) && !known.has(keys[at]);
  });
  if (lost !== undefined) {
    throw new TypeError(
      `the session holds what the conversation does not, ${show(lost.callId ?? lost.content)}: begin it with session.getItems()`,
    );
  }
  const missing = items.slice(kept).map(stored);
  try {
    for (let left = before.length; left > kept; left -= 1) await session.popItem();
    if (missing.length > 0) await session.addItems(missing);
  } catch (error) {
    try {
      const left = await session.getItems();
      if (commonTo(left.map(keyOf), keys) === left.length) await session.addItems(before.slice(left.length));
    } catch {
      // The error of the write is the one to see: what is missing is in the conversation.
    }
    throw error;
  }
}

/** How many both begin with. */
function commonTo(some: readonly string[], others: readonly string[]): number {
  const at = some.findIndex((key, place) => key !== others[place]);
  return at === -1 ? some.length : at;
}
