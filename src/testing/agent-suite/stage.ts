/**
 * What a scenario works with: one server, the tools, runs of the agent, and the things that may be asked of these three.
 *
 * Invariants: what a scenario has started is stopped and closed by `release`, whether it passed or not; what is missing or
 * wrong of a run that a tool starts ends the scenario, and is not thrown into the agent, which would make a result of it.
 *
 * @module
 */
import { startModelServer, type ModelScript, type ModelServer } from '../model-server/index.ts';
import {
  harnessNeeds,
  wishes,
  type AgentHarness,
  type AgentLimits,
  type AgentProgramStart,
  type AgentRun,
  type AgentStart,
  type AgentWish,
} from './harness.ts';
import { textsIn, toolResultsIn } from './tool-results.ts';
import { ToolBench, type ToolGiven } from './tool-bench.ts';
import { pause, waitUntil } from '../waiting.ts';

/** What a run must offer for a scenario to make sense. */
export type RunNeed = Exclude<keyof AgentRun, 'done'>;

/** What the harness must offer. */
export type HarnessNeed = (typeof harnessNeeds)[number];

export type AgentNeed = RunNeed | HarnessNeed | AgentWish;

/** Thrown where a scenario has nothing to judge. */
export class NotApplicable extends Error {}

const isOfHarness = (need: AgentNeed): need is HarnessNeed => (harnessNeeds as readonly string[]).includes(need);
const isWish = (need: AgentNeed): need is AgentWish => wishes.has(need);

function short(text: string): string {
  return `'${text.length > 40 ? `${text.slice(0, 40)}…` : text}'`;
}

/** What a run is started with; the rest is of the stage. */
export type StageStart = Partial<Pick<AgentStart, 'history' | Extract<AgentWish, keyof AgentStart>>>;

/** See the module. */
export class AgentStage {
  readonly #harness: AgentHarness;
  readonly #needs: readonly AgentNeed[];
  readonly #limits: AgentLimits;
  readonly #runs: AgentRun[] = [];
  readonly #ended = new Set<AgentRun>();
  #server: ModelServer | undefined;
  #before: readonly [number, number] = [0, 0];
  #fault: { readonly error: unknown } | undefined;
  readonly bench: ToolBench = new ToolBench();
  /** Questions that were put to a person: the tool, and the way to answer. */
  readonly questions: { readonly tool: string; readonly respond: (isAllowed: boolean) => unknown }[] = [];
  /** Callbacks that would have shown more. */
  readonly missing: Set<string> = new Set();

  constructor(harness: AgentHarness, needs: readonly AgentNeed[], limits: AgentLimits) {
    this.#harness = harness;
    this.#needs = needs;
    this.#limits = limits;
    for (const need of needs) {
      if (isWish(need)) {
        if (harness.honours?.includes(need) !== true) throw new NotApplicable(`the harness does not honour ${need}`);
      } else if (isOfHarness(need) && harness[need] === undefined) {
        throw new NotApplicable(`the harness has no ${need}()`);
      }
    }
  }

  get requests(): ModelServer['requests'] {
    return this.#server?.requests ?? [];
  }

  get settleMs(): number {
    return this.#limits.settleMs;
  }

  get watchMs(): number {
    return this.#limits.watchMs;
  }

  /** Silence after which a model is given up: far more than a busy machine lets one word wait, and soon enough to be seen. */
  get idleMs(): number {
    return this.#limits.settleMs / 4;
  }

  async script(script: ModelScript): Promise<void> {
    this.#server = await startModelServer({ script });
  }

  start(prompt: string, given: StageStart = {}): AgentRun {
    return this.#watch(this.#harness.start(this.#startOf(prompt, given)));
  }

  startElsewhere(prompt: string, given: StageStart): AgentRun {
    const start = this.#startOf(prompt, given);
    return this.#watch(this.#harness.startElsewhere?.(start) ?? this.#harness.start(start));
  }

  /** From within a tool. Where it cannot be judged, the run that comes back has ended, and so has the scenario. */
  startUnder(prompt: string, { signal, context }: ToolGiven): AgentRun {
    const start = this.#startOf(prompt, {});
    try {
      return this.#watch(this.#harness.startUnder?.(start, signal, context) ?? this.#harness.start(start));
    } catch (error) {
      this.#fault ??= { error };
      return { done: Promise.resolve() };
    }
  }

  /** @throws What a run within a tool could not be judged for. */
  throwFault(): void {
    if (this.#fault !== undefined) throw this.#fault.error;
  }

  startRebuilt(prompt: string, given: StageStart = {}): AgentRun {
    const start = this.#startOf(prompt, given);
    return this.#watch(this.#harness.startRebuilt?.(start) ?? this.#harness.start(start));
  }

  startProgram(prompt: string, commands: AgentProgramStart['commands']): number {
    const program = this.#harness.startProgram?.({ url: this.#server?.url ?? '', prompt, commands });
    const pid: unknown = program?.pid;
    if (!Number.isSafeInteger(pid)) throw new TypeError(`the program has no pid, got ${String(pid)}`);
    return pid as number;
  }

  async cancelAll(): Promise<void> {
    await this.#harness.cancelAll?.();
  }

  /** Whether a callback is there that shows more, but without which the rest can be judged. */
  can(run: AgentRun, need: RunNeed): boolean {
    const isThere = typeof run[need] === 'function';
    if (!isThere) this.missing.add(`${need}()`);
    return isThere;
  }

  canAll(): boolean {
    if (this.#harness.cancelAll === undefined) this.missing.add('cancelAll()');
    return this.#harness.cancelAll !== undefined;
  }

  /** Presses Stop. What is there at this moment counts as before. */
  press(run: AgentRun): void {
    this.#before = [this.requests.length, this.bench.started.length];
    run.cancel?.();
  }

  /** Presses Stop, and waits for the run to end. */
  async stop(run: AgentRun): Promise<void> {
    this.press(run);
    await this.ends(run, this.#limits.settleMs);
  }

  async ends(run: AgentRun, limitMs: number = this.#limits.reachMs): Promise<void> {
    await this.until('the run ends', () => this.hasEnded(run), limitMs);
  }

  hasEnded(run: AgentRun): boolean {
    return this.#ended.has(run);
  }

  /** From here on nothing may start; `stop` says the same of its own moment. */
  fromNow(): void {
    this.#before = [this.requests.length, this.bench.started.length];
  }

  async nothingStarts(): Promise<void> {
    await pause(this.#limits.watchMs);
    const [requests, tools] = this.#before;
    // Tools first: whether the model that is asked behind them has been asked by now is a matter of the machine.
    const late = [...new Set(this.bench.started.slice(tools))];
    if (late.length > 0) throw new Error(`started after the stop: ${late.join(', ')}`);
    const more = this.requests.length - requests;
    if (more > 0) throw new Error(`${String(more)} model requests after the stop`);
  }

  async until(what: string, isSo: () => boolean, limitMs: number = this.#limits.reachMs): Promise<void> {
    const words = (): string => `${what}; ${this.#soFar()}`;
    await waitUntil(words, () => this.#fault !== undefined || isSo(), limitMs);
    this.throwFault();
  }

  /** What there was by now, for a failure. */
  #soFar(): string {
    const { started, running } = this.bench;
    const named = (names: readonly string[]): string => [...new Set(names)].join(', ') || 'none';
    return `model requests: ${String(this.requests.length)}, tools started: ${named(started)}, still running: ${named(running)}`;
  }

  /** Within the time that a stop may take. */
  async soon(what: string, isSo: () => boolean): Promise<void> {
    await this.until(what, isSo, this.#limits.settleMs);
  }

  /** On the wire the words are; the agent may take a moment to read them. */
  async pauseToRead(): Promise<void> {
    await pause(this.#limits.watchMs);
  }

  async starts(tool: string): Promise<void> {
    await this.until(`the tool ${tool} starts`, () => this.bench.started.includes(tool));
  }

  /** Until two words of the answer are on the wire; who asks for no stream gets them with all the others. */
  async hasTwoWords(n = 1): Promise<void> {
    await this.until('two words have come', () => {
      const request = this.requests[n - 1];
      if (request?.stream === false) throw new NotApplicable('the agent asks for no stream');
      return (request?.deltasWritten ?? 0) >= 2;
    });
  }

  body(n: number): string {
    return JSON.stringify(this.requests[n - 1]?.body ?? {});
  }

  /** What the model is told in this request as results of tools. */
  results(n: number): readonly string[] {
    return toolResultsIn(this.requests[n - 1]?.body);
  }

  isAccepted(n: number): void {
    const status = this.requests[n - 1]?.status;
    if (status !== 200) throw new Error(`request ${String(n)} was answered with ${String(status ?? 'nothing')}`);
  }

  timesTold(text: string, n: number): number {
    return this.body(n).split(text).length - 1;
  }

  isTold(text: string, n: number, times = 1): void {
    const found = this.timesTold(text, n);
    if (found === times) return;
    const said = textsIn(this.requests[n - 1]?.body)
      .slice(-3)
      .map(short);
    const there = said.length === 0 ? 'there is no text in it' : `its last texts are ${said.join(', ')}`;
    throw new Error(
      `${short(text)} is in request ${String(n)} ${String(found)} times, and not ${String(times)}; ${there}`,
    );
  }

  async release(): Promise<void> {
    this.bench.finish('too late');
    for (const run of this.#runs) {
      if (this.#ended.has(run)) continue;
      try {
        // A run that failed its scenario would go on beside the next one.
        void Promise.resolve(run.cancel?.()).catch(() => undefined);
      } catch {
        // Its verdict is spoken already.
      }
    }
    await this.#server?.close();
  }

  #startOf(prompt: string, given: StageStart): AgentStart {
    const { history, limitMs, idleMs, asks = [], passive = [], commits = [], oneByOne = false } = given;
    const { compactInto, hook } = given;
    return {
      url: this.#server?.url ?? '',
      prompt,
      tools: this.bench.tools,
      history,
      limitMs,
      idleMs,
      asks,
      passive,
      commits,
      oneByOne,
      compactInto,
      hook,
      ask: (tool, respond) => {
        this.questions.push({ tool, respond });
      },
    };
  }

  #watch(run: AgentRun): AgentRun {
    const done = (run as Partial<AgentRun> | undefined)?.done;
    if (typeof done?.then !== 'function') throw new TypeError('the run has no promise done');
    this.#runs.push(run);
    const over = (): void => void this.#ended.add(run);
    done.then(over, over);
    for (const need of this.#needs) {
      if (isWish(need) || isOfHarness(need)) continue;
      if (typeof run[need] !== 'function') throw new NotApplicable(`the run has no ${need}()`);
    }
    return run;
  }
}
