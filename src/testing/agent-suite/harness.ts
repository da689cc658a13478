/**
 * What a person writes to put an agent through the scenarios: how a run is started, and what its buttons do.
 *
 * @module
 */
import { requireOptions, type OptionNames } from '../../core/inside.ts';
import type { ToolStatus } from '../../index.ts';

/**
 * A tool that the agent must offer to its model; it takes no arguments. Give it the signal of the call, and as
 * `context` whatever {@link AgentHarness.startUnder} needs to hang a sub-agent on the call.
 *
 * @since 0.1.0
 */
export type AgentTool = (signal?: AbortSignal, context?: unknown) => Promise<string>;

/**
 * What a run may be asked for beyond a prompt. A harness names those that it honours. The first six, `compactInto` and `hook` are fields of the
 * start; with `verbatim` the model reads what a tool gives to its last byte, and an error of a tool in its own words; the
 * last three are what `AgentRun.interject` may be given.
 *
 * @since 0.1.0
 */
export type AgentWish =
  | 'limitMs'
  | 'idleMs'
  | 'asks'
  | 'passive'
  | 'commits'
  | 'oneByOne'
  | 'compactInto'
  | 'hook'
  | 'verbatim'
  | AgentDelivery;

/**
 * When a message reaches the model: at once, so that an answer that is being written is cut; after the calls that run, so that
 * those of the batch that have not begun are left out; after the run, so that this run does not ask the model for it.
 *
 * @since 0.1.0
 */
export type AgentDelivery = 'now' | 'after-current-tool' | 'after-turn';

/**
 * What a run is started with.
 *
 * @since 0.1.0
 */
export interface AgentStart {
  /** The model's address; clients of OpenAI's protocols append `/v1`. */
  readonly url: string;
  readonly prompt: string;
  readonly tools: Readonly<Record<string, AgentTool>>;
  /** What `history()` of the run before gave. */
  readonly history: unknown;
  /** How long the run may take, in milliseconds. */
  readonly limitMs: number | undefined;
  /** How long the model may be silent within an answer, in milliseconds. */
  readonly idleMs: number | undefined;
  /** Tools that a person must allow first, through `ask`. */
  readonly asks: readonly string[];
  /** Puts the question whether a tool may run; the person answers later, or too late. */
  readonly ask: (tool: string, respond: (isAllowed: boolean) => unknown) => void;
  /** Tools that only wait for something else: a message ends the waiting, and not what is waited for. */
  readonly passive: readonly string[];
  /** Tools whose work, once it has begun, must not be cut: a stop waits for it, and calls it completed. */
  readonly commits: readonly string[];
  /** Whether the calls of a batch run one after the other. */
  readonly oneByOne: boolean;
  /** The summary that takes the place of all that was said, before this run asks the model for the second time. */
  readonly compactInto: string | undefined;
  /** Work of the program's own behind each call of a tool, as a formatter is: no call of the model, which never hears of it. */
  readonly hook: AgentTool | undefined;
}

/**
 * What a whole program is started with.
 *
 * @since 0.1.0
 */
export interface AgentProgramStart {
  /** The model's address, as `AgentStart.url`. */
  readonly url: string;
  readonly prompt: string;
  /** Tools that the program must offer to its model, and the command that each runs with a shell. */
  readonly commands: Readonly<Record<string, string>>;
}

/**
 * An agent in a process of its own.
 *
 * @since 0.1.0
 */
export interface AgentProgram {
  readonly pid: number;
}

/**
 * One row of what a run says about its tool calls.
 *
 * @since 0.1.0
 */
export interface AgentCall {
  readonly name: string;
  readonly status: ToolStatus;
}

/**
 * A run of the agent. What it cannot do is left out, and the scenarios that need it, which each part names, do not apply. All
 * that gives something is asked once `done` has settled.
 *
 * @since 0.1.0
 */
export interface AgentRun {
  /** Settles, either way, when the agent says that it is over. */
  readonly done: PromiseLike<unknown>;
  /** What the Stop button of this run does. S01–S09, S15, S41; most others, besides. */
  readonly cancel?: (() => unknown) | undefined;
  /** Stops the call of one tool. S06. */
  readonly cancelCall?: ((tool: string) => unknown) | undefined;
  /** What a message typed meanwhile does. A time of delivery is only given if the harness honours it. S21–S23, S39, S44. */
  readonly interject?:
    | ((text: string, options?: { readonly delivery?: AgentDelivery | undefined }) => unknown)
    | undefined;
  /** Takes back the message that was typed last. S39. */
  readonly withdraw?: (() => unknown) | undefined;
  /** Lets the call of one tool go on beside the conversation. S40. */
  readonly sendToBackground?: ((tool: string) => unknown) | undefined;
  /** The conversation as the next run goes on from it, as its `start.history`. S13, S15, S17–S20, S45, S46, S48, S50, S51. */
  readonly history?: (() => unknown) | undefined;
  /** What the program shows as the end of the run. S14, S15. */
  readonly status?: (() => 'completed' | 'cancelled' | 'failed') | undefined;
  /** The tool calls, in the order in which the model asked for them. S11, S12; S04, S05, S13, S38, S51. */
  readonly calls?: (() => readonly AgentCall[]) | undefined;
  /** Names of the tools that the stop has left running. S01, S38. */
  readonly stillRunning?: (() => readonly string[]) | undefined;
  /** Calls that were still running when the run ended, and have ended since, as far as the program has been told. S11. */
  readonly lateCalls?: (() => readonly AgentCall[]) | undefined;
  /** Messages that came back because no request had them. S21, S22, S39. */
  readonly undelivered?: (() => readonly string[]) | undefined;
  /** How many tokens the model has written, at least; `undefined` if the run does not know. S16. */
  readonly outputTokens?: (() => number | undefined) | undefined;
}

/**
 * How the suite gets at an agent. Two callbacks are enough to begin with, `start` and its `cancel`.
 *
 * @since 0.1.0
 */
export interface AgentHarness {
  /** What the agent is called in what the suite says. */
  readonly name: string;
  /** Starts one run of the agent; everything that a run needs is in its argument. */
  readonly start: (start: AgentStart) => AgentRun;
  /** Starts a run as a sub-agent of the tool call that was given this signal and this context. S04, S05, S21, S38. */
  readonly startUnder?:
    | ((start: AgentStart, signal: AbortSignal | undefined, context: unknown) => AgentRun)
    | undefined;
  /** Starts a run that goes on from a history with a provider of another protocol. S46. */
  readonly startElsewhere?: ((start: AgentStart) => AgentRun) | undefined;
  /** Starts a run whose model the framework has made anew from the one of `start`: bound to tools, wrapped, configured. S44. */
  readonly startRebuilt?: ((start: AgentStart) => AgentRun) | undefined;
  /** Starts the agent as a program of its own, which is going to be killed. S43. */
  readonly startProgram?: ((start: AgentProgramStart) => AgentProgram) | undefined;
  /** Stops every run that goes on, and resolves when they have ended. S06, S40. */
  readonly cancelAll?: (() => unknown) | undefined;
  /**
   * Which of the wishes in a start it honours; none by default. `limitMs`: S47; `idleMs`: S10, S44; `asks`: S12, S22; `passive`:
   * S23; `commits`: S11; `oneByOne`: S21; `compactInto`: S50; `hook`: S51; `verbatim`: S42; a time of delivery: S21, S39.
   */
  readonly honours?: readonly AgentWish[] | undefined;
}

/**
 * What one scenario came to.
 *
 * @since 0.1.0
 */
export interface AgentVerdict {
  readonly agent: string;
  /** Its number in the list of scenarios. */
  readonly scenario: string;
  readonly title: string;
  readonly status: 'passed' | 'failed' | 'notApplicable';
  /** What should have been so and what was, or why it does not apply; empty if it passed. */
  readonly why: string;
  /** What could not be judged besides, because a callback is missing. */
  readonly missing: readonly string[];
}

/**
 * Options of {@link describeAgent}.
 *
 * @since 0.1.0
 */
export interface DescribeAgentOptions {
  /** How soon a run must have ended after its stop, grace included, in milliseconds; 2,000 by default. */
  readonly settleMs?: number | undefined;
  /** How long to look for what starts after a stop, in milliseconds; 100 by default. */
  readonly watchMs?: number | undefined;
  /** How long a run may take to the place of its stop, or to an end without one, in milliseconds; 5,000 by default. */
  readonly reachMs?: number | undefined;
  /** Numbers of the scenarios to play; all by default. */
  readonly only?: readonly string[] | undefined;
}

/** The limits of {@link DescribeAgentOptions}, decided. */
export interface AgentLimits {
  readonly settleMs: number;
  readonly watchMs: number;
  readonly reachMs: number;
}

/** What a harness may have besides. */
export const harnessNeeds = ['startUnder', 'startElsewhere', 'startRebuilt', 'startProgram', 'cancelAll'] as const;

/** Every wish that there is; a table, so that the compiler names one that is missing. */
export const wishes: ReadonlySet<string> = new Set(
  Object.keys({
    limitMs: 0,
    idleMs: 0,
    asks: 0,
    passive: 0,
    commits: 0,
    oneByOne: 0,
    verbatim: 0,
    compactInto: 0,
    hook: 0,
    now: 0,
    'after-current-tool': 0,
    'after-turn': 0,
  } satisfies Record<AgentWish, 0>),
);

/**
 * Refuses what is no harness.
 *
 * @throws TypeError – a part of it is not what it should be.
 */
export function checkHarness(harness: unknown): void {
  const fields = (harness ?? {}) as Readonly<Record<string, unknown>>;
  for (const name of ['start', ...harnessNeeds]) {
    const value = fields[name];
    if (typeof value === 'function' || (value === undefined && name !== 'start')) continue;
    throw new TypeError(`harness.${name} must be a function, got ${String(value)}`);
  }
  if (typeof fields['name'] !== 'string') {
    throw new TypeError(`harness.name must be a string, got ${String(fields['name'])}`);
  }
  const honours = fields['honours'] ?? [];
  if (!Array.isArray(honours)) throw new TypeError(`harness.honours must be a list, got ${JSON.stringify(honours)}`);
  const strange = honours.findIndex((wish) => !wishes.has(wish as string));
  if (strange !== -1) throw new TypeError(`harness.honours: there is no wish ${String(honours[strange])}`);
}

const optionNames: OptionNames<DescribeAgentOptions> = { settleMs: 1, watchMs: 1, reachMs: 1, only: 1 };

/**
 * The limits with their defaults.
 *
 * @throws RangeError – one is no time.
 */
export function readLimits(options: DescribeAgentOptions): AgentLimits {
  requireOptions(options, optionNames);
  const { settleMs = 2_000, watchMs = 100, reachMs = 5_000 } = options;
  const limits = { settleMs, watchMs, reachMs };
  for (const [name, ms] of Object.entries(limits)) {
    if (!(ms >= 0 && ms < Infinity)) throw new RangeError(`options.${name} must be a time in ms, got ${String(ms)}`);
  }
  return limits;
}
