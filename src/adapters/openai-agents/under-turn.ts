/**
 * An agent of OpenAI Agents under a turn: its model, its tools, and the agents it hands over to.
 *
 * @module
 */
import { type OptionNames, requireOptionsOf, requireTurn, show, type Turn } from '../../core/inside.ts';
import type { WordsOf } from '../../guard/told-words.ts';
import { requireModelOptions } from '../internal/framework/turn-call.ts';
import { guardAgentTools } from './guard-agent-tools.ts';
import { mcpServersUnder } from './mcp-servers.ts';
import { loopOf, modelIn, modelNames, type TurnModelOptions } from './turn-model.ts';

/**
 * An agent, as far as a stop concerns it.
 *
 * @since 0.1.0
 */
export interface AgentsAgent {
  readonly model?: unknown;
  readonly tools: readonly unknown[];
  readonly mcpServers?: readonly unknown[] | undefined;
  handoffs: readonly unknown[];
  /** A copy with other settings. */
  clone(settings: never): unknown;
}

/**
 * Options of {@link underTurn}.
 *
 * @since 0.1.0
 */
export interface UnderTurnOptions {
  /** Milliseconds a tool may take to end after the stop. */
  readonly graceMs?: number | undefined;
  /** What a message does to a running tool, as for `turn.tool`; `finish` by default. */
  readonly onInterject?: 'finish' | 'cancel' | 'yield' | undefined;
  /** In whose words the model reads of a call that did not complete, while the turn goes on, as for `guardTools`. */
  readonly dialect?: WordsOf | undefined;
  /**
   * Whether the run is not of the conversation whose turn this is: a title, a summary, a check. As with `turn.model`, no
   * message of the person is for it, and what it says is in no `partials`.
   */
  readonly aside?: boolean | undefined;
  /** Limits of the model's calls. */
  readonly model?: TurnModelOptions | undefined;
}

type Clone = (settings: {
  readonly tools: object[];
  readonly model?: unknown;
  readonly mcpServers?: readonly unknown[];
}) => Copy;

/** A copy is ours to change. */
interface Copy extends AgentsAgent {
  /** Lists the tools of its MCP servers, when they are asked for. */
  getMcpTools?(...args: unknown[]): Promise<readonly unknown[]>;
}

/** What `handoff()` makes. */
interface Handoff {
  readonly agent: unknown;
  onInvokeHandoff(context: unknown, input: string): unknown;
}

function isAgent(value: unknown): value is AgentsAgent {
  const { clone, tools, handoffs } = (typeof value === 'object' && value !== null ? value : {}) as Partial<AgentsAgent>;
  return typeof clone === 'function' && Array.isArray(tools) && Array.isArray(handoffs);
}

function isHandoff(value: unknown): value is Handoff {
  const { agent, onInvokeHandoff } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Handoff>;
  return isAgent(agent) && typeof onInvokeHandoff === 'function';
}

/** The same handoff to the SDK, which asks for its class; it leads to a copy, and to none after a stop. */
function handoffUnder(turn: Turn, handoff: Handoff, copyOf: (agent: AgentsAgent) => AgentsAgent): Handoff {
  const follow = (next: unknown): unknown => (isAgent(next) ? copyOf(next) : next);
  const fields: Handoff = {
    agent: follow(handoff.agent),
    async onInvokeHandoff(context, input) {
      turn.checkpoint();
      const next = await handoff.onInvokeHandoff(context, input);
      turn.checkpoint();
      return follow(next);
    },
  };
  return Object.create(Object.getPrototypeOf(handoff) as object, {
    ...Object.getOwnPropertyDescriptors(handoff),
    ...Object.getOwnPropertyDescriptors(fields),
  }) as Handoff;
}

const optionNames: OptionNames<UnderTurnOptions> = { graceMs: 1, onInterject: 1, dialect: 1, aside: 1, model: 1 };

/**
 * Puts an agent under a turn: its function tools, its local shell and those of its MCP servers by `guardTools`, its model
 * by `turnModel`, and the agents it can hand over to likewise, also in a circle and also those of `handoff()`.
 *
 * A call that was stopped alone, declined, or came after a message is answered to the model in words, and the run goes
 * on. A model that is only named is the runner's to find: give that one `turnProvider`. An agent that is a tool
 * (`asTool()`) is a run of its own: make the tool of one that is under the turn.
 *
 * @checkpoint never: the agent it prepares checks
 * @param turn The turn that runs the loop, of an agent or of a `Conversation` of `desist/transcript`: that takes what its
 * models say.
 * @param agent The agent; it is not changed.
 * @param options Graces and limits in milliseconds.
 * @returns A copy, for `run(copy, input, { signal: turn.signal })`.
 * @throws TypeError, RangeError – not a turn, not an agent, or an option that makes no sense.
 * @example
 * ```ts
 * import { InterruptController } from 'desist'
 * import { underTurn } from 'desist/openai-agents'
 *
 * // with the SDK: await run(underTurn(turn, agent), 'go', { signal: turn.signal })
 * const agent = {
 *   tools: [{ name: 'echo', invoke: async (_context: unknown, input: string) => input }],
 *   handoffs: [],
 *   clone(settings: object) { return { ...this, ...settings } },
 * }
 * const report = await new InterruptController().runTurn((turn) => underTurn(turn, agent).tools[0]?.invoke({}, 'hello'))
 * report.unwrap() // => 'hello'
 * report.calls.map(({ name, status }) => `${name}: ${status}`) // => ['echo: completed']
 * ```
 * @source OpenAI Agents `Agent.clone`
 * @since 0.1.0
 */
export function underTurn<A extends AgentsAgent>(
  turn: Omit<Turn, 'model'>,
  agent: A,
  options: UnderTurnOptions = {},
): A {
  requireTurn(turn);
  if (!isAgent(agent)) throw new TypeError(`agent must be an agent of OpenAI Agents, got ${show(agent)}`);
  requireModelOptions('options', options, optionNames);
  const { graceMs, onInterject, dialect, model: limits = {} } = options;
  requireOptionsOf('model', limits, modelNames);
  // One for all of them: what was told to one of them is told to those that it hands over to.
  const isAside = options.aside === true || limits.aside === true;
  const loop = loopOf(turn, { ...limits, aside: isAside }, false);
  const { turn: own } = loop.record;
  const copies = new Map<unknown, AgentsAgent>();
  const guards = { graceMs, onInterject, aside: isAside || undefined, dialect };
  const copyOf = (original: AgentsAgent): AgentsAgent => {
    const known = copies.get(original);
    if (known !== undefined) return known;
    const { model } = original;
    const mcpServers = mcpServersUnder(original.mcpServers);
    const copy = (original.clone as Clone)({
      tools: guardAgentTools(own, original.tools, guards),
      ...(typeof model === 'object' && model !== null ? { model: modelIn(loop, model) } : {}),
      ...(mcpServers === undefined ? {} : { mcpServers }),
    });
    copies.set(original, copy);
    const list = copy.getMcpTools?.bind(copy);
    if (list !== undefined) copy.getMcpTools = async (...args) => guardAgentTools(own, await list(...args), guards);
    copy.handoffs = original.handoffs.map((next) => {
      if (isAgent(next)) return copyOf(next);
      return isHandoff(next) ? handoffUnder(own, next, copyOf) : next;
    });
    return copy;
  };
  return copyOf(agent) as A;
}
