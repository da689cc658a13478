/**
 * An agent of pi under a turn: its loop runs as it is, and everything that it starts is a call of the turn.
 *
 * @module
 */
import {
  type CancelContext,
  type CancellationToken,
  holdGrace,
  isObject,
  type OptionNames,
  recorderOf,
  type Releasable,
  requireMs,
  requireOneOf,
  requireOptions,
  requireTurn,
  runsTools,
  runUntilCancelled,
  show,
  type Turn,
} from '../../core/inside.ts';
import type { TranscriptDialect } from '../../transcript/dialect.ts';
import { requireDialect } from '../../guard/told-words.ts';
import { requireModelOptions } from '../internal/framework/turn-call.ts';
import type { BeforeToolCall, Reply, StreamFn } from './shapes.ts';
import { turnStreamFn } from './turn-stream-fn.ts';
import { Questions, tellUnbegun, turnTools } from './turn-tools.ts';
import { type Steered, UserMessages } from './user-messages.ts';
import { keepWhatWasSaid } from './words.ts';

/**
 * An agent of pi, as far as a stop concerns it.
 *
 * @since 0.1.0
 */
export interface PiAgent {
  /** Its messages and tools, and whether a loop of it runs. */
  readonly state: {
    messages: readonly object[];
    tools: readonly object[];
    readonly isStreaming: boolean;
    readonly errorMessage?: string | undefined;
  };
  /** Ends with the loop that runs. */
  readonly signal?: AbortSignal | undefined;
  /** Runs the loop with a prompt. */
  prompt(input: never): PromiseLike<unknown>;
  /** Runs the loop with what is there. */
  continue(): PromiseLike<unknown>;
  /** Stops the loop. */
  abort(): void;
  /** Says something to the loop that runs. */
  steer(message: never): void;
  /** Hears what the loop does. */
  subscribe(listener: never): () => void;
}

/**
 * Options of {@link underTurn}.
 *
 * @since 0.1.0
 */
export interface UnderTurnOptions {
  /**
   * In whose words the model reads what became of a call that did not complete, and that its reply was cut: `openaiChat` of
   * `desist/transcript/openai-chat`, whatever provider is asked. The SDK has messages of its own, so it takes the words alone.
   */
  readonly dialect: Pick<TranscriptDialect<never, unknown>, 'texts'>;
  /** Milliseconds a tool may take to end after the stop. */
  readonly graceMs?: number | undefined;
  /** What a message does to a running tool, as for `turn.tool`; `finish` by default. */
  readonly onInterject?: 'finish' | 'cancel' | 'yield' | undefined;
  /** A name for the model's calls, and their limits in milliseconds. */
  readonly model?:
    | {
        readonly name?: string | undefined;
        readonly idleMs?: number | undefined;
        readonly graceMs?: number | undefined;
      }
    | undefined;
}

/**
 * The loop of an agent under one turn.
 *
 * @since 0.1.0
 */
export interface PiRun<M> {
  /**
   * Runs the loop with a prompt, as the agent's own `prompt`.
   *
   * @checkpoint always, before and after
   * @throws CancelledError – as a rejection: the turn was cancelled. Error – as a rejection: the model call failed, with the
   * provider's words. TypeError – as a rejection: the agent is at work already.
   */
  prompt(input: string | M | M[]): Promise<void>;
  /** Runs the loop with what is there, as the agent's own `continue`; everything else as `prompt`. */
  continue(): Promise<void>;
}

/** How the SDK has it. */
interface Agent extends Steered {
  readonly state: { messages: readonly object[]; tools: readonly object[] } & PiAgent['state'];
  /** Its name since version 1, and the one before. */
  streamFunction?: StreamFn;
  streamFn?: StreamFn;
  beforeToolCall: BeforeToolCall | undefined;
  readonly signal?: AbortSignal | undefined;
  prompt(input: unknown): PromiseLike<unknown>;
  continue(): PromiseLike<unknown>;
  abort(): void;
  subscribe(listener: (event: LoopEvent) => void): () => void;
}

interface LoopEvent {
  readonly type: string;
  readonly toolCallId?: string;
  readonly message?: { readonly stopReason?: unknown };
}

function isAgent(value: unknown): value is Agent {
  if (!isObject(value)) return false;
  const { state, prompt, subscribe, abort } = value as Partial<Agent>;
  const { streamFunction, streamFn = streamFunction } = value as Partial<Agent>;
  return isObject(state) && [streamFn, prompt, subscribe, abort].every((own) => typeof own === 'function');
}

/**
 * Puts the loop of a pi agent under a turn: its model calls and its tool calls are the turn's, its question before a call
 * (`beforeToolCall`) is one of the call that a stop withdraws, and a message of the user reaches the model in its next
 * call, or – with delivery `now` – at once. `agent.abort()` stops the turn.
 *
 * The agent keeps its messages itself: of each call they have what the ledger knows, of a cut reply what had been said. So a
 * turn of a `Conversation` is refused. What a tool tells by `onUpdate` is the `partial` of its call.
 *
 * @checkpoint never: the run that it gives checks
 * @cleanup When a run has ended, the agent has its own functions and tools again, and nothing listens to it.
 * @param turn The turn that runs the loop.
 * @param agent The agent. What its loop calls is wrapped for as long as a run lasts.
 * @param options The words for the model, graces and limits in milliseconds.
 * @returns What runs the loop.
 * @throws TypeError, RangeError – not a turn of an agent, not an agent, no dialect, or an option that makes no sense.
 * @example
 * ```ts
 * import { InterruptController } from 'desist'
 * import { underTurn } from 'desist/pi'
 * import { openaiChat } from 'desist/transcript/openai-chat'
 *
 * // stands for `new Agent({ initialState: { model, tools } })`
 * const agent = {
 *   state: { messages: [] as object[], tools: [] as object[], isStreaming: false },
 *   streamFn: () => undefined,
 *   prompt: async (input: unknown) => { agent.state.messages.push({ role: 'user', content: input }) },
 *   continue: async () => undefined,
 *   abort: () => undefined,
 *   steer: () => undefined,
 *   subscribe: () => () => undefined,
 * }
 * const report = await new InterruptController().runTurn((turn) =>
 *   underTurn(turn, agent, { dialect: openaiChat }).prompt('tidy up'),
 * )
 * report.status // => 'completed'
 * agent.state.messages // => [{ role: 'user', content: 'tidy up' }]
 * ```
 * @source `Agent` of `@earendil-works/pi-agent-core`
 * @since 0.1.0
 */
export function underTurn<A extends PiAgent>(
  turn: Turn,
  agent: A,
  options: UnderTurnOptions,
): PiRun<A['state']['messages'][number]> {
  requireTurn(turn);
  if (recorderOf(turn) !== undefined) {
    throw new TypeError(
      'turn must be a turn of an agent, got one of a conversation: this agent keeps its messages itself',
    );
  }
  const given: unknown = agent;
  if (!isAgent(given)) throw new TypeError(`agent must be an agent of pi, got ${show(given)}`);
  requireOptions(options, optionNames);
  const { dialect, graceMs, onInterject, model = {} } = options;
  requireDialect(dialect);
  if (graceMs !== undefined) requireMs('graceMs', graceMs, 'infinity-allowed');
  if (onInterject !== undefined) requireOneOf('onInterject', onInterject, ['finish', 'cancel', 'yield']);
  requireModelOptions('model', model, modelNames);
  const run = (start: () => PromiseLike<unknown>): Promise<void> => runLoop(turn, given, options, start);
  return {
    prompt: (input) => run(() => given.prompt(input)),
    continue: () => run(() => given.continue()),
  };
}

const optionNames: OptionNames<UnderTurnOptions> = { dialect: 1, graceMs: 1, onInterject: 1, model: 1 };

const modelNames: OptionNames<NonNullable<UnderTurnOptions['model']>> = { name: 1, idleMs: 1, graceMs: 1 };

/** Runs the loop once, with everything that it calls wrapped. */
async function runLoop(
  turn: Turn,
  agent: Agent,
  { dialect, graceMs, onInterject, model = {} }: UnderTurnOptions,
  start: () => PromiseLike<unknown>,
): Promise<void> {
  turn.checkpoint();
  if (agent.state.isStreaming) throw new TypeError('the agent is at work already: wait for it, or stop it');
  const cut = new Map<object, Reply | undefined>();
  let failure: Error | undefined;
  const failed = (error: unknown): void => {
    failure = error instanceof Error ? error : new Error(String(error));
  };
  // Then it is no conversation with the person: what that one says waits for the loop that the tool belongs to.
  const isOfTool = runsTools(turn.token);
  const messages = new UserMessages(turn, agent);
  const tell = (): boolean => !isOfTool && messages.tell();
  let work: CancellationToken | undefined;
  // What the loop writes down comes after its calls: it is waited for as long as they are, and half a second more.
  const hold = (): Releasable => holdGrace(work);
  const answered = new Set<string>();
  const before = agent.state.messages.length;
  const unwrap = wrap(agent, {
    streamFn: (own) => {
      const ask = turnStreamFn({ turn, dialect, options: model, isOfTool, tell, cut, failed }, own);
      return (...request) => {
        messages.taken();
        return ask(...request);
      };
    },
    questions: agent.beforeToolCall && new Questions(agent.beforeToolCall),
    toolsUnder: (tools, questions) =>
      turnTools(tools, { turn, dialect, options: { graceMs, onInterject }, answered, hold }, questions),
  });
  // The loop asks for messages when it begins and behind each round, but not behind one that it ends with.
  const leave = agent.subscribe(({ type, message, toolCallId }) => {
    const { stopReason } = message ?? {};
    // What it says itself of a call before a stop is its result: there is no such tool, or its arguments do not fit.
    if (type === 'tool_execution_end' && toolCallId && !turn.token.isCancelled) answered.add(toolCallId);
    if (type === 'agent_start' || (type === 'turn_end' && stopReason !== 'error' && stopReason !== 'aborted')) tell();
  });
  const stop = turn.token.onCancelled(() => {
    agent.abort();
  });
  const onAbort = (): void => void turn.cancel();
  let signal: AbortSignal | undefined;
  try {
    const loop = ({ token }: CancelContext): PromiseLike<unknown> => {
      work = token;
      const running = start();
      ({ signal } = agent);
      // A listener of the agent's own may have pressed its button already.
      if (signal?.aborted === true) onAbort();
      else signal?.addEventListener('abort', onAbort);
      return running;
    };
    // It ends with its calls, unless a hook of its own never answers.
    await runUntilCancelled(turn.token, loop, { name: 'pi' });
  } finally {
    signal?.removeEventListener('abort', onAbort);
    stop.unregister();
    leave();
    messages.taken();
    unwrap();
    const { state } = agent;
    if (turn.token.isCancelled) {
      const own = await tellUnbegun(state.messages.slice(before), { turn, dialect, answered });
      state.messages = [...state.messages.slice(0, before), ...own];
    }
    keepWhatWasSaid(state, cut);
  }
  turn.checkpoint();
  const { errorMessage } = agent.state;
  if (errorMessage !== undefined) throw failure ?? new Error(errorMessage);
}

/** What a run puts in the place of the agent's own. */
interface Wrapped {
  readonly streamFn: (own: StreamFn) => StreamFn;
  readonly questions: Questions | undefined;
  readonly toolsUnder: (tools: readonly object[], questions: Questions | undefined) => readonly object[];
}

/** Wraps what the loop calls; gives back what puts the agent's own back, unless somebody has changed it meanwhile. */
function wrap(agent: Agent, { streamFn, questions, toolsUnder }: Wrapped): () => void {
  const { state } = agent;
  const name = agent.streamFunction === undefined ? 'streamFn' : 'streamFunction';
  const own = { stream: agent[name] as StreamFn, beforeToolCall: agent.beforeToolCall, tools: state.tools };
  const tools = toolsUnder(own.tools, questions);
  const originals = new Map(tools.map((tool, at) => [tool, own.tools[at]]));
  const stream = streamFn(own.stream);
  agent[name] = stream;
  if (questions !== undefined) agent.beforeToolCall = questions.keep;
  state.tools = tools;
  return () => {
    if (agent[name] === stream) agent[name] = own.stream;
    if (questions !== undefined && agent.beforeToolCall === questions.keep) agent.beforeToolCall = own.beforeToolCall;
    state.tools = state.tools.map((tool) => originals.get(tool) ?? tool);
  };
}
