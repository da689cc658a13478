/**
 * Puts an agent loop that anybody wrote through the scenarios of a stop, against a scripted model.
 *
 * Prior art: unstorage's driver suite; conformance suites of protocols, whose result is a table.
 *
 * @module
 */
import { setTimeout } from 'node:timers';

import { agentScenarios } from './agent-scenarios.ts';
import { deferred } from './fakes.ts';
import { startModelServer, type ModelScript, type ModelServer } from './model-server/index.ts';

/**
 * A tool that the agent must offer to its model; it takes no arguments.
 *
 * @since 0.1.0
 */
export type AgentTool = (signal?: AbortSignal) => Promise<string>;

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
}

/**
 * A run of the agent. What it cannot do is left out, and the scenarios that need it do not apply.
 *
 * @since 0.1.0
 */
export interface AgentRun {
  /** Settles, either way, when the agent says that it is over. */
  readonly done: PromiseLike<unknown>;
  /** What the Stop button does. */
  readonly cancel?: (() => unknown) | undefined;
  /** What a message typed meanwhile does. */
  readonly interject?: ((text: string) => unknown) | undefined;
  /** The conversation as the next run goes on from it. */
  readonly history?: (() => unknown) | undefined;
}

/**
 * How the suite gets at an agent.
 *
 * @since 0.1.0
 */
export interface AgentHarness {
  /** What the agent is called in what the suite says. */
  readonly name: string;
  /** Starts one run of the agent; everything that a run needs is in its argument. */
  readonly start: (start: AgentStart) => AgentRun;
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
  /** What went wrong, or which callback is missing; empty if it passed. */
  readonly why: string;
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

interface AgentLimits {
  readonly settleMs: number;
  readonly watchMs: number;
  readonly reachMs: number;
}

/** What a scenario works with: one server, the tools, and the things that it may ask for. */
export class AgentStage {
  readonly #harness: AgentHarness;
  readonly #settleMs: number;
  readonly #watchMs: number;
  readonly #reachMs: number;
  readonly #slow = deferred<string>();
  readonly #needs: readonly (keyof AgentRun)[];
  #onTool: (name: string) => string | undefined = () => undefined;
  #server: ModelServer | undefined;
  #before: readonly [number, number] = [0, 0];
  /** Names of the tools, in the order in which they were started. */
  readonly started: string[] = [];

  constructor(harness: AgentHarness, needs: readonly (keyof AgentRun)[], limits: AgentLimits) {
    this.#harness = harness;
    this.#needs = needs;
    this.#settleMs = limits.settleMs;
    this.#watchMs = limits.watchMs;
    this.#reachMs = limits.reachMs;
  }

  get #requests(): ModelServer['requests'] {
    return this.#server?.requests ?? [];
  }

  async script(script: ModelScript): Promise<void> {
    this.#server = await startModelServer({ script });
  }

  /** What tools do; one that gives nothing here is deaf until `finish`. */
  onTool(onTool: (name: string) => string | undefined): void {
    this.#onTool = onTool;
  }

  finish(result: string): void {
    this.#slow.resolve(result);
  }

  start(prompt: string, history?: unknown): AgentRun {
    const tools = ['slow', 'other', 'pay', 'first', 'second', 'third'].map((name): [string, AgentTool] => [
      name,
      async () => {
        this.started.push(name);
        return this.#onTool(name) ?? this.#slow.promise;
      },
    ]);
    const url = this.#server?.url ?? '';
    const run = this.#harness.start({ url, prompt, history, tools: Object.fromEntries(tools) });
    Promise.resolve(run.done).catch(() => undefined);
    for (const need of this.#needs) if (typeof run[need] !== 'function') throw new NotApplicable(need);
    return run;
  }

  /** Presses Stop, and waits for the run to end. */
  async stop(run: AgentRun): Promise<void> {
    this.#before = [this.#requests.length, this.started.length];
    run.cancel?.();
    await this.ends(run, this.#settleMs);
  }

  async ends(run: AgentRun, limitMs: number = this.#reachMs): Promise<void> {
    let isOver = false;
    const over = (): void => void (isOver = true);
    run.done.then(over, over);
    await this.until('the run ends', () => isOver, limitMs);
  }

  async nothingStarts(): Promise<void> {
    await pause(this.#watchMs);
    const [requests, tools] = this.#before;
    const more = this.#requests.length - requests;
    if (more > 0) throw new Error(`${String(more)} model requests after the stop`);
    const late = this.started.slice(tools);
    if (late.length > 0) throw new Error(`started after the stop: ${late.join(', ')}`);
  }

  async until(what: string, isSo: () => boolean, limitMs: number = this.#reachMs): Promise<void> {
    const giveUpAt = performance.now() + limitMs;
    while (!isSo()) {
      if (performance.now() > giveUpAt) throw new Error(`waited ${String(limitMs)} ms until ${what}`);
      await pause(2);
    }
  }

  bodies(): readonly string[] {
    return this.#requests.map(({ body }) => JSON.stringify(body));
  }

  wordsSent(): number {
    return this.#requests[0]?.deltasWritten ?? 0;
  }

  isCut(): boolean {
    return this.#requests[0]?.closedEarly === true;
  }

  isAccepted(n: number): void {
    const status = this.#requests[n - 1]?.status;
    if (status !== 200) throw new Error(`request ${String(n)} was answered with ${String(status ?? 'nothing')}`);
  }

  isTold(text: string, n: number, times: number): void {
    const found = (this.bodies()[n - 1]?.split(text).length ?? 1) - 1;
    if (found !== times) throw new Error(`'${text}' is in request ${String(n)} ${String(found)} times`);
  }

  async release(): Promise<void> {
    this.finish('too late');
    await this.#server?.close();
  }
}

class NotApplicable extends Error {}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Plays the scenarios with an agent, one after the other, and says what each came to. A failure is a verdict, not an
 * error: write one assertion over the list, or one test for each.
 *
 * @checkpoint never
 * @cleanup Each scenario has a server of its own, which is closed; its deaf tools end with it.
 * @param harness The agent, and how a run of it is started.
 * @param options Limits, and which scenarios.
 * @returns One verdict per scenario.
 * @throws TypeError – the harness is none. RangeError – `only` names no scenario, or a limit is none. As a rejection.
 * @example An agent that calls no model
 * ```ts
 * import { describeAgent } from 'desist/testing'
 *
 * const idle = { name: 'idle', start: () => ({ done: Promise.resolve() }) }
 * const [verdict] = await describeAgent(idle, { only: ['S21'], settleMs: 50 })
 * verdict?.why // => 'the run has no interject()'
 * ```
 * @source unstorage's driver suite
 * @since 0.1.0
 */
export async function describeAgent(
  harness: AgentHarness,
  options: DescribeAgentOptions = {},
): Promise<AgentVerdict[]> {
  const { settleMs = 2_000, watchMs = 100, reachMs = 5_000, only = Object.keys(agentScenarios) } = options;
  const start: unknown = (harness as Partial<AgentHarness> | undefined)?.start;
  if (typeof start !== 'function') throw new TypeError(`harness.start must be a function, got ${String(start)}`);
  for (const [name, ms] of Object.entries({ settleMs, watchMs, reachMs })) {
    if (!(ms >= 0 && ms < Infinity)) throw new RangeError(`options.${name} must be a time in ms, got ${String(ms)}`);
  }
  const verdicts: AgentVerdict[] = [];
  for (const scenario of only) {
    const played = agentScenarios[scenario];
    if (played === undefined) throw new RangeError(`options.only: there is no scenario ${scenario}`);
    const stage = new AgentStage(harness, played.needs, { settleMs, watchMs, reachMs });
    const base = { agent: harness.name, scenario, title: played.title };
    try {
      await played.play(stage);
      verdicts.push({ ...base, status: 'passed', why: '' });
    } catch (error) {
      const isMissing = error instanceof NotApplicable;
      const why = isMissing
        ? `the run has no ${error.message}()`
        : error instanceof Error
          ? error.message
          : String(error);
      verdicts.push({ ...base, status: isMissing ? 'notApplicable' : 'failed', why });
    } finally {
      await stage.release();
    }
  }
  return verdicts;
}
