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

/** The nodes that a graph begins with, and that none goes on from, by the SDK's names. */
const [start, end] = ['__start__', '__end__'];

interface State {
  readonly values?: { readonly messages?: unknown };
}

/** Where a graph keeps its messages, with their reducer. */
interface Channel {
  fromCheckpoint(value: unknown): { update(values: readonly unknown[]): unknown; get(): unknown };
}

interface Graph {
  getState(config: object): PromiseLike<State>;
  updateState(config: object, values: { messages: unknown } | null, asNode?: string): PromiseLike<unknown>;
  readonly channels?: Readonly<Record<string, Channel>>;
  readonly nodes?: object;
  /** The graph of an agent, which is one as well. */
  readonly graph?: Graph;
}

/** Messages of a thread, as they are and as they have to be. */
interface Settling {
  readonly before: readonly unknown[];
  readonly settled: readonly unknown[];
}

/** Messages that are there already are not written again. */
function tailOf({ before, settled }: Settling): unknown[] | undefined {
  return before.every((message, at) => message === settled[at]) ? settled.slice(before.length) : undefined;
}

/** Whether the graph's reducer makes the settled messages of what is written. It is tried on a copy. */
function takes({ channels, graph }: Graph, { before, settled }: Settling, written: object): boolean {
  const channel = (channels ?? graph?.channels)?.['messages'];
  if (typeof channel?.fromCheckpoint !== 'function') return true;
  const copy = channel.fromCheckpoint([...before]);
  copy.update([written]);
  const made = copy.get();
  if (!Array.isArray(made) || made.length !== settled.length) return false;
  return made.every((message) => message !== written && (message as { id?: unknown }).id !== removeAll.id);
}

/**
 * Writes as a node of the graph. The SDK takes the one that ran last, where that is one; what is decided behind a node is
 * decided anew, and may fail on messages that it never meets otherwise: then nothing was written, and another is taken.
 */
async function write(graph: Graph, config: object, messages: unknown): Promise<void> {
  const nodes = Object.keys(graph.nodes ?? graph.graph?.nodes ?? {}).filter((name) => name !== start);
  const failures: unknown[] = [];
  for (const node of [undefined, ...nodes, start]) {
    try {
      await graph.updateState(config, { messages }, node);
      return;
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures[0];
}

/**
 * Settles the thread of a graph whose run was stopped. The checkpoint holds the model's tool calls from before the stop
 * and no results for them; providers refuse such a thread, and it can never be used again.
 *
 * @checkpoint never: it is for after the stop
 * @cleanup Nothing is left open; what the checkpointer stores is its own.
 * @param graph A compiled graph with a checkpointer, whose state has `messages`; an agent's graph is its `graph`.
 * @param config The config that names the thread.
 * @param settle Makes messages that can be sent out of those of the thread: `repair` of `desist/transcript`, with the `outcomeOf`
 * of the conversation whose turn the run was of.
 * @returns The messages of the thread from here on; none of one that has not begun.
 * @throws TypeError – as a rejection: not such a graph, a state without messages, or a reducer of them that cannot take what
 * has to be changed, of which nothing is written then. Whatever the checkpointer throws.
 * @example
 * ```ts
 * import { settleThread } from 'desist/langchain'
 *
 * // with the SDK: settleThread(graph, config, (messages) =>
 * //   repair(messages, { dialect: langchain, outcomeOf: chat.outcomeOf }).messages)
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
  const read = async (): Promise<Settling> => {
    const { values } = await own.getState(config);
    // Of a thread that has not begun there is no state at all.
    const before = Object.keys(values ?? {}).length === 0 ? [] : values?.messages;
    if (!Array.isArray(before)) throw new TypeError(`the state must have messages, got ${show(before)}`);
    return { before, settled: await settle([...(before as unknown[])]) };
  };
  const found = await read();
  const { settled } = found;
  if (settled.length === found.before.length && tailOf(found) !== undefined) return [...settled];
  const forms = [[removeAll, ...settled], [...settled], { __overwrite__: [...settled] }];
  const whole = forms.find((each) => takes(own, found, each));
  if (whole !== undefined) {
    await write(own, config, whole);
    return [...settled];
  }
  if (tailOf(found) === undefined) throw appendsOnly();
  // What calls of the same step have saved comes into the messages with the next write, whatever is written.
  await own.updateState(config, null, end);
  const saved = await read();
  const tail = tailOf(saved);
  if (tail === undefined || !takes(own, saved, tail)) throw appendsOnly();
  if (tail.length > 0) await write(own, config, tail);
  return [...saved.settled];
}

function appendsOnly(): TypeError {
  return new TypeError(
    'the reducer of the messages cannot replace what is there: take that of MessagesAnnotation, messagesStateReducer',
  );
}
