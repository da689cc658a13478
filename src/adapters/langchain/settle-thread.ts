/**
 * A thread that a checkpointer keeps, after a stop: its messages are settled, so that the next run is accepted.
 *
 * @module
 */
import { requireFunction, show } from '../../core/inside.ts';

/**
 * A compiled graph with a checkpointer, as far as its thread goes.
 *
 * @since 0.1.0
 */
export interface CheckpointedGraph {
  /** The state of a thread. */
  getState(config: never): PromiseLike<{ readonly values: unknown }>;
  /** Writes into a thread, through the reducers of its state. */
  updateState(config: never, values: never): PromiseLike<unknown>;
}

/** What the SDK's reducer of messages takes for: remove all that is there. */
const removeAll = { role: 'remove', type: 'remove', id: '__remove_all__' };

type Graph = {
  getState(config: object): PromiseLike<{ readonly values?: { readonly messages?: unknown } }>;
  updateState(config: object, values: { messages: unknown[] }): PromiseLike<unknown>;
};

/**
 * Settles the thread of a graph whose run was stopped. The checkpoint holds the model's tool calls from before the stop
 * and no results for them; providers refuse such a thread, and it can never be used again.
 *
 * @checkpoint never: it is for after the stop
 * @cleanup Nothing is left open; what the checkpointer stores is its own.
 * @param graph A compiled graph with a checkpointer, whose state has `messages`; an agent's graph is its `graph`.
 * @param config The config that names the thread.
 * @param settle Makes messages that can be sent out of those of the thread: `settleTurn` with the turn's report.
 * @returns The messages of the thread from here on; none of one that has not begun.
 * @throws TypeError – as a rejection: not such a graph, or a state without messages. Whatever the checkpointer throws.
 * @example
 * ```ts
 * import { settleThread } from 'desist/langchain'
 *
 * // with the SDK: settleThread(graph, config, (messages) => settleTurn(messages, report, { dialect }).messages)
 * let stored: object[] = [{ role: 'user', content: 'go' }]
 * const graph = {
 *   getState: async (_config: object) => ({ values: { messages: stored } }),
 *   updateState: async (_config: object, values: { messages: object[] }) => { stored = values.messages.slice(1) },
 * }
 * const config = { configurable: { thread_id: '1' } }
 * await settleThread(graph, config, (messages) => [...messages, { role: 'assistant', content: 'Stopped.' }])
 * stored.length // => 2
 * ```
 * @source LangGraph `updateState`
 * @since 0.1.0
 */
export async function settleThread(
  graph: CheckpointedGraph,
  config: object,
  // The SDK's messages are instances of its own classes; what settles them knows which.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- `unknown[]` would refuse every such function
  settle: (messages: any[]) => readonly unknown[] | PromiseLike<readonly unknown[]>,
): Promise<unknown[]> {
  requireFunction('settle', settle);
  const { getState, updateState } = (
    typeof graph === 'object' && (graph as unknown) !== null ? (graph as unknown) : {}
  ) as Partial<Graph>;
  if (typeof getState !== 'function' || typeof updateState !== 'function') {
    throw new TypeError(`graph must be a compiled graph of LangGraph, got ${show(graph)}`);
  }
  const own = graph as unknown as Graph;
  const { values } = await own.getState(config);
  // Of a thread that has not begun there is no state at all.
  const before = Object.keys(values ?? {}).length === 0 ? [] : values?.messages;
  if (!Array.isArray(before)) throw new TypeError(`the state must have messages, got ${show(before)}`);
  const settled = await settle([...(before as unknown[])]);
  const isSame = settled.length === before.length && settled.every((message, at) => message === before[at]);
  if (!isSame) await own.updateState(config, { messages: [removeAll, ...settled] });
  return [...settled];
}
