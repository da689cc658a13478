/** An agent loop under an `InterruptController`, as an application writes it, with every button that the suite knows. */
import {
  CancellationToken,
  InterruptController,
  interruptedNote,
  type Interjection,
  lateNote,
  type RunTurnOptions,
  type Turn,
  type TurnReport,
  type TurnTicket,
} from '../../../src/index.ts';
import { toolContextOf } from '../../../src/guard/index.ts';
import type { AgentHarness } from '../../../src/testing/index.ts';
import type { AgentCall, AgentRun, AgentStart, AgentWish } from '../../../src/testing/agent-suite/index.ts';

/** A tool as a loop gets it: it asks and waits by itself. */
export type LoopTool = (given: { readonly signal: AbortSignal | undefined }) => Promise<string>;

/** What one turn of a loop is given. */
export interface LoopTurn {
  readonly url: string;
  readonly messages: readonly unknown[];
  readonly tools: Readonly<Record<string, LoopTool>>;
  /** The agent whose turn it is. */
  readonly agent: InterruptController;
  /** Those whose waiting a message ends. */
  readonly passive: readonly string[];
  readonly idleMs: number | undefined;
  readonly oneByOne: boolean;
  /** Whether the model is one that the framework has made anew. */
  readonly isRebuilt: boolean;
  /** What the model is asked with, each time once: with a summary in the place of what it replaced. */
  readonly compacted: <M>(messages: readonly M[]) => readonly M[];
}

/** What a loop needs of the conversation that it is of. */
interface LoopConversation {
  readonly messages: readonly unknown[];
  compact(replacement: string[]): void;
  runTurn(
    agent: InterruptController,
    prompt: undefined,
    body: (turn: Omit<Turn, 'model'>) => Promise<unknown>,
    options: RunTurnOptions,
  ): Promise<TurnReport<unknown>>;
}

/** A turn that is asked for from elsewhere. */
export interface ServedTurn {
  readonly running: Promise<TurnReport<unknown>>;
  /** What the Stop button of whoever asked for it does. */
  cancel(): unknown;
  /** The conversation as whoever asked for it has it. */
  messages(): readonly unknown[];
}

/** What a loop needs to be run. */
type LoopParts = Pick<ControlledLoop, 'run' | 'converse' | 'serve' | 'messagesOf' | 'settle' | 'outputTokensOf'>;

/** The parts in which loops differ. */
export interface ControlledLoop {
  readonly name: string;
  /** Runs to the end of the turn. */
  run(turn: Turn, given: LoopTurn): Promise<unknown>;
  /** Runs the turn for a client that keeps the conversation and has the Stop button. */
  serve?(
    agent: InterruptController,
    given: LoopTurn,
    options: RunTurnOptions & { readonly ticket: TurnTicket },
    body: (turn: Turn) => Promise<unknown>,
  ): ServedTurn;
  /** A conversation that takes what the loop comes to, from these messages on. */
  converse?(messages: readonly unknown[]): LoopConversation;
  /** Without one: the conversation so far, asked when the body has ended. */
  messagesOf?(turn: Turn, given: LoopTurn): readonly unknown[];
  /** The same with what became of the calls. */
  settle?(messages: readonly unknown[], report: TurnReport<unknown>): readonly unknown[];
  /** How many tokens were certainly written. */
  outputTokensOf?(report: TurnReport<unknown>): number | undefined;
  /** What it honours besides what comes with a controller. */
  readonly honours?: readonly AgentWish[] | undefined;
  /** What the suite calls a tool that the loop calls otherwise. */
  nameOf?(tool: string): string;
  /** What comes with a controller, and not with it: its tools are in other hands. */
  readonly lacks?: readonly AgentWish[] | undefined;
  /** Whether its calls may go on in the background. */
  readonly canDetach?: boolean | undefined;
  /** Whether it knows a model that is made anew. */
  readonly canRebuild?: boolean | undefined;
  /** The same with another protocol, for messages that both understand. */
  readonly elsewhere?: LoopParts | undefined;
}

/** A conversation, and the agent that it belongs to: late results come to the agent. */
interface Conversation {
  readonly agent: InterruptController;
  readonly messages: readonly unknown[];
}

const GRACE_MS = 250;

/** What comes with a controller. */
const ofController: readonly AgentWish[] = [
  ...(['limitMs', 'idleMs', 'asks', 'passive', 'commits', 'hook', 'now', 'after-turn'] as const),
];

const lateStatus = { completed: 'completed', failed: 'failed', cancelled: 'stopped' } as const;

/** The tools of a start, which ask a person and wait as the start wishes. */
function toolsOf(
  { tools, asks, ask, passive, commits, hook }: AgentStart,
  ids: Map<string, string>,
  turnOf: () => Omit<Turn, 'model'> | undefined,
): Record<string, LoopTool> {
  /** The program's own work behind a tool: a step of the turn. */
  const hooked = async (result: string): Promise<string> => {
    if (hook !== undefined) await turnOf()?.step('hook', ({ signal }) => hook(signal));
    return result;
  };
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]): [string, LoopTool] => [
      name,
      async ({ signal }) => {
        const context = toolContextOf(signal);
        if (context !== undefined) ids.set(name, (context.call as { readonly id: string }).id);
        if (asks.includes(name)) {
          const isAllowed = await context?.ask<boolean>((respond) => {
            ask(name, respond);
          });
          if (isAllowed !== true) context?.decline('the person said no');
        }
        if (commits.includes(name) && context !== undefined) return await context.commit(() => tool(signal, context));
        if (!passive.includes(name)) return await hooked(await tool(signal, context));
        const waited = await context?.wait(tool(signal, context));
        return waited?.status === 'completed' ? waited.value : 'still running';
      },
    ]),
  );
}

/** Compacts before the second request, and keeps to it. */
function compactionOf(summary: string | undefined, compact: (summary: string) => void): LoopTurn['compacted'] {
  let asked = 0;
  let replaced = 0;
  return <M>(messages: readonly M[]): readonly M[] => {
    asked += 1;
    // Some frameworks go on from what they were given, others from their own list.
    if (summary === undefined || asked === 1 || JSON.stringify(messages).includes(summary)) return messages;
    if (asked === 2) {
      replaced = messages.length;
      compact(summary);
    }
    return [{ role: 'user', content: summary } as M, ...messages.slice(replaced)];
  };
}

/** The harness of a loop. */
export function underController(loop: ControlledLoop): AgentHarness {
  const app = new InterruptController({ name: loop.name, graceMs: GRACE_MS });
  let runs = 0;

  function startWith(agent: InterruptController, start: AgentStart, own: LoopParts, isRebuilt = false): AgentRun {
    const before = (start.history as Conversation | undefined)?.messages ?? [];
    const notes = agent.takeLateOutcomes().map(lateNote);
    const reason = agent.consumeWasInterrupted();
    if (reason !== undefined) notes.unshift(interruptedNote(reason));
    const ids = new Map<string, string>();
    let current: Omit<Turn, 'model'> | undefined;
    const given: LoopTurn = {
      url: start.url,
      messages: [...before, { role: 'user', content: [...notes, start.prompt].join('\n\n') }],
      tools: toolsOf(start, ids, () => current),
      agent,
      passive: start.passive,
      idleMs: start.idleMs,
      oneByOne: start.oneByOne,
      isRebuilt,
      compacted: compactionOf(start.compactInto, (summary) => chat?.compact([summary])),
    };
    // A cancel between here and the turn's start must find it.
    const ticket = agent.accept();
    const limit = start.limitMs === undefined ? undefined : CancellationToken.timeout(start.limitMs);
    let messages: readonly unknown[] = given.messages;
    let report: TurnReport<unknown> | undefined;
    const chat = own.converse?.(given.messages);
    const body = async (turn: Omit<Turn, 'model'>): Promise<unknown> => {
      current = turn;
      try {
        return await own.run(turn as Turn, given);
      } finally {
        messages = own.messagesOf?.(turn as Turn, given) ?? messages;
      }
    };
    const options = { ticket, token: limit };
    const served = own.serve?.(agent, given, options, body);
    const running =
      served?.running ??
      (chat === undefined ? agent.runTurn(body, options) : chat.runTurn(agent, undefined, body, options));
    const late: AgentCall[] = [];
    const nameOf = (tool: string): string => loop.nameOf?.(tool) ?? tool;
    let typed: Interjection | undefined;
    agent.onEvent((event) => {
      if (event.type === 'late-settled') late.push({ name: nameOf(event.name), status: lateStatus[event.status] });
    });
    const done = running.then((ended) => {
      report = ended;
      return ended;
    });
    return {
      done,
      cancel: () => (served === undefined ? ticket.cancel('user') : served.cancel()),
      cancelCall: (tool) => agent.cancelCall(ids.get(tool) ?? tool, 'not this one'),
      interject: (text, options) => (typed = agent.interject(text, options)),
      withdraw: () => typed?.withdraw(),
      sendToBackground: loop.canDetach === true ? (tool) => agent.sendToBackground(ids.get(tool) ?? tool) : undefined,
      lateCalls: () => late,
      history: (): Conversation => ({
        agent,
        messages: served?.messages() ?? chat?.messages ?? ((report && own.settle?.(messages, report)) || messages),
      }),
      status: () => report?.status ?? 'failed',
      calls: () => (report?.calls ?? []).map((call) => ({ ...call, name: nameOf(call.name) })),
      stillRunning: () => (report?.stop?.abandoned ?? []).map(nameOf),
      undelivered: () => (report?.undelivered ?? []).map(({ message }) => String(message)),
      outputTokens: own.outputTokensOf && (() => report && own.outputTokensOf?.(report)),
    };
  }

  const agentOf = ({ history }: AgentStart): InterruptController =>
    (history as Conversation | undefined)?.agent ?? app.child(`run ${String(++runs)}`, { detached: true });
  const { elsewhere } = loop;
  return {
    name: loop.name,
    start: (start) => startWith(agentOf(start), start, loop),
    startUnder(start, signal) {
      const context = toolContextOf(signal);
      if (context === undefined) throw new TypeError('the tool was given a signal of no call');
      return startWith(context.subagent(`sub-agent ${String(++runs)}`), start, loop);
    },
    startRebuilt: loop.canRebuild === true ? (start) => startWith(agentOf(start), start, loop, true) : undefined,
    startElsewhere: elsewhere && ((start) => startWith(agentOf(start), start, elsewhere)),
    cancelAll: () => app.cancelAll('user').settled,
    honours: [...ofController.filter((wish) => !loop.lacks?.includes(wish)), ...(loop.honours ?? [])],
  };
}
