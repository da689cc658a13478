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

/** A conversation is without answers that say nothing: providers refuse them. */
function saysSomething({ content }: Item): boolean {
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

/** The items of one session, known by what they say. */
class SessionItems<I extends object> {
  readonly #session: AgentsSession<I>;

  constructor(session: AgentsSession<I>) {
    this.#session = session;
  }

  keyOf(item: I): string {
    const own = this.#session.prepareHistoryItemsForPersistenceComparison?.([item]) ?? [item];
    return JSON.stringify(own.map(wordy), ordered);
  }

  /** How many items both lists begin with. */
  commonTo(some: readonly I[], others: readonly I[]): number {
    const at = some.findIndex((item, place) => {
      const other = others[place];
      return other === undefined || this.keyOf(item) !== this.keyOf(other);
    });
    return at === -1 ? some.length : at;
  }

  /** What somebody said, and what may have run: removed, it would be lost. */
  isOnlyHere(item: I, conversation: readonly I[]): boolean {
    const { role, callId } = item as Item;
    if (isCall(item)) return !conversation.some((each) => isCall(each) && (each as Item).callId === callId);
    return (
      role !== undefined && saysSomething(item) && !conversation.some((each) => this.keyOf(each) === this.keyOf(item))
    );
  }
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
 * const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Stopped.' }] }
 * await settleSession(session, [{ role: 'user', content: 'go' }, said])
 * await settleSession(session, [{ role: 'user', content: 'go' }, said])
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
  const own = new SessionItems(session);
  const before = await session.getItems();
  const kept = own.commonTo(before, items);
  const replaced = before.slice(kept);
  const lost = replaced.find((item) => own.isOnlyHere(item, items));
  if (lost !== undefined) {
    const { callId, content } = lost as Item;
    throw new TypeError(
      `the session holds what the conversation does not, ${show(callId ?? content)}: begin it with session.getItems()`,
    );
  }
  const missing = items.slice(kept).map(stored);
  try {
    for (let left = replaced.length; left > 0; left -= 1) await session.popItem();
    if (missing.length > 0) await session.addItems(missing);
  } catch (error) {
    if (replaced.length > 0) await putBack(session, own, before);
    throw error;
  }
}

/** If it fails too, the error of the write is the one to see: what is missing is in the conversation. */
async function putBack<I extends object>(session: AgentsSession<I>, own: SessionItems<I>, before: I[]): Promise<void> {
  try {
    const left = await session.getItems();
    const isBeginning = own.commonTo(left, before) === left.length;
    if (isBeginning && left.length < before.length) await session.addItems(before.slice(left.length));
  } catch {
    // As above.
  }
}
