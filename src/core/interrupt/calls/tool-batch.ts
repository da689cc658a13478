/**
 * The ledger: runs the tool calls of one reply and gives each exactly one outcome.
 *
 * Invariants: one outcome per call, in call order; no call starts once the turn is cancelled or closed; nothing is said
 * of a call once the report of its turn is made.
 *
 * Prior art: "tool call repair" in coding agents, done at the source instead.
 *
 * @module
 */
import {
  optionalFlag,
  requireFunction,
  requireMs,
  requireOneOf,
  requireOptions,
  type OptionNames,
  requireName,
  wrongType,
} from '../../foundation/check.ts';
import { tokenOf } from '../../token/bridge/linked-tokens.ts';
import type { Token } from '../../token/token.ts';
import type { StepOptions, ToolsOptions } from '../public-types/call-options.ts';
import type { ToolOutcome } from '../public-types/outcomes.ts';
import { identify, type CallIdentity } from './call-identity.ts';
import type { ToolContext } from '../public-types/tool-context.ts';
import { ToolCall, type CallSettings, type InterjectPolicy, type TurnOfToolCalls } from './tool-call.ts';

/** What a message may do to a running tool. */
export const interjectPolicies = ['finish', 'cancel', 'yield'] as const;

const modes = ['parallel', 'sequential'] as const;

const optionNames: OptionNames<ToolsOptions<unknown>> = {
  identify: 1,
  timeoutMs: 1,
  graceMs: 1,
  token: 1,
  onInterject: 1,
  canDetach: 1,
  aside: 1,
  isStop: 1,
  mode: 1,
};

const stepOptions: OptionNames<StepOptions> = { id: 1, timeoutMs: 1, graceMs: 1, token: 1, isStop: 1 };

type Run<C, R> = CallSettings<C, R>['run'];

/** The calls of one reply of the model; misuse is found before anything starts. */
class Batch<C, R> implements CallSettings<C, R> {
  readonly turn: TurnOfToolCalls;
  readonly run: Run<C, R>;
  readonly token: Token | undefined;
  readonly graceMs: number;
  readonly isExactGrace: boolean;
  readonly timeoutMs: number;
  readonly onInterject: InterjectPolicy;
  readonly canDetach: boolean;
  readonly isStop: ((error: unknown) => boolean) | undefined;
  readonly isStep: boolean;
  readonly isAside: boolean;
  readonly #mode: 'parallel' | 'sequential';
  readonly #done: (calls: readonly ToolCall<C, R>[]) => void;
  readonly #calls: ToolCall<C, R>[] = [];
  /** Where its rows begin in the ledger. */
  readonly #first: number;
  readonly #isRefused: boolean;
  #left: number;

  constructor(
    turn: TurnOfToolCalls,
    calls: readonly C[],
    run: Run<C, R>,
    options: ToolsOptions<C>,
    done: (calls: readonly ToolCall<C, R>[]) => void,
    isStep = false,
  ) {
    requireFunction('run', run);
    if (!isList(calls)) throw wrongType('calls', 'an array of tool calls', calls);
    requireOptions(options, optionNames);
    if (options.isStop !== undefined) requireFunction('isStop', options.isStop);
    this.turn = turn;
    this.run = run;
    this.token = options.token === undefined ? undefined : tokenOf(options.token);
    this.graceMs = requireMs('graceMs', options.graceMs ?? turn.agent.graceMs, 'infinity-allowed');
    this.isExactGrace = options.graceMs !== undefined;
    this.timeoutMs = requireMs('timeoutMs', options.timeoutMs ?? Infinity, 'infinity-allowed');
    this.onInterject = requireOneOf('onInterject', options.onInterject ?? 'finish', interjectPolicies);
    this.canDetach = optionalFlag('canDetach', options.canDetach);
    this.isStop = options.isStop;
    this.isStep = isStep;
    this.isAside = optionalFlag('aside', options.aside) || isStep;
    this.#mode = requireOneOf('mode', options.mode ?? 'parallel', modes);
    // Not `map`, which leaves out holes: a batch waits for each of its calls.
    for (const call of calls)
      this.#calls.push(new ToolCall(this, call, this.#calls.length, identify(call, options.identify)));
    this.#left = calls.length;
    this.#first = turn.calls.length;
    this.#isRefused = calls.length > 0 && turn.refusal('tool', this.#calls[0]?.name ?? '') !== undefined;
    this.#done = done;
  }

  start(): void {
    const { turn } = this;
    turn.operations.enter();
    for (const call of this.#calls) {
      turn.open.add(call);
      // The rows of the ledger stand in call order from the start, also when the batch is given up before its end.
      if (!turn.isOver && !this.isStep) turn.calls.push(undefined);
    }
    if (this.#left === 0) this.#end();
    else if (this.#mode === 'sequential') this.#calls[0]?.start();
    else for (const call of this.#calls) call.start();
  }

  ended({ place }: ToolCall<C, R>, outcome: ToolOutcome<R, C>): void {
    const { turn } = this;
    if (this.isStep) {
      if (!turn.isOver) turn.steps.push(outcome);
    } else if (!turn.isOver) {
      turn.agent.emit({ type: 'tool-outcome', turnId: turn.id, outcome });
      turn.calls[this.#first + place] = outcome;
    }
    if (--this.#left === 0) this.#end();
    else if (this.#mode === 'sequential') this.#calls[place + 1]?.start();
  }

  #end(): void {
    const { turn } = this;
    const done = (): void => {
      if (turn.budget !== undefined) void turn.endIfExhausted();
      this.#done(this.#calls);
    };
    if (this.#isRefused) {
      void turn.refusals.add().then(done);
      turn.operations.leave();
    } else {
      turn.operations.leave();
      done();
    }
  }
}

/** Runs one call. */
export function runTool<C, R>(
  turn: TurnOfToolCalls,
  call: C,
  run: Run<C, R>,
  options: ToolsOptions<C>,
): Promise<ToolOutcome<R, C>> {
  return new Promise((resolve) => {
    new Batch<C, R>(turn, [call], run, options, (ended) => {
      resolve(ended[0]?.outcome as ToolOutcome<R, C>);
    }).start();
  });
}

/** Runs a step of the program, which no model asked for. */
export function runStep<R>(
  turn: TurnOfToolCalls,
  name: string,
  run: (context: ToolContext<CallIdentity>) => R | PromiseLike<R>,
  given: StepOptions,
): Promise<ToolOutcome<R, CallIdentity>> {
  requireName('name', name);
  requireFunction('run', run);
  requireOptions(given, stepOptions);
  const { id = name, ...options } = given;
  requireName('id', id);
  return new Promise((resolve) => {
    const done = (ended: readonly ToolCall<CallIdentity, R>[]): void => {
      resolve(ended[0]?.outcome as ToolOutcome<R, CallIdentity>);
    };
    new Batch<CallIdentity, R>(turn, [{ id, name }], (_call, context) => run(context), options, done, true).start();
  });
}

/** Runs a batch. */
export function runTools<C, R>(
  turn: TurnOfToolCalls,
  calls: readonly C[],
  run: Run<C, R>,
  options: ToolsOptions<C>,
): Promise<ToolOutcome<R, C>[]> {
  return new Promise((resolve) => {
    new Batch<C, R>(turn, calls, run, options, (ended) => {
      resolve(ended.map(({ outcome }) => outcome as ToolOutcome<R, C>));
    }).start();
  });
}

/** `Array.isArray` forgets the type of a readonly list. */
function isList(value: unknown): boolean {
  return Array.isArray(value);
}
