/**
 * The ledger: runs tool calls and gives each exactly one outcome.
 * In the interrupt room below the turn.
 *
 * Invariants: one outcome per call, in call order; no call starts once the turn is cancelled.
 *
 * Prior art: "tool call repair" in coding agents, done at the source instead.
 *
 * @module
 */
import { requireFunction, requireMs, requireOneOf, wrongType } from '../foundation/check.ts';
import { tokenOf } from '../token/link.ts';
import type { Token } from '../token/source.ts';
import { identify } from './call-identity.ts';
import type { ToolsOptions } from './call-options.ts';
import type { ToolOutcome } from './outcomes.ts';
import { ToolCall, type CallSettings } from './tool-call.ts';
import type { InterjectPolicy, TurnState } from './turn-state.ts';

/** What a message may do to a running tool. */
export const interjectPolicies = ['finish', 'cancel', 'yield'] as const;

/** The calls of one reply of the model; misuse is found before anything starts. */
class Batch<C, R> implements CallSettings<C, R> {
  readonly turn: TurnState;
  readonly run: CallSettings<C, R>['run'];
  readonly token: Token | undefined;
  readonly graceMs: number;
  readonly onInterject: InterjectPolicy;
  readonly #mode: 'parallel' | 'sequential';
  readonly #done: (calls: readonly ToolCall<C, R>[]) => void;
  readonly #calls: readonly ToolCall<C, R>[];
  /** Where its rows begin in the ledger. */
  readonly #first: number;
  readonly #isRefused: boolean;
  #left: number;

  constructor(
    turn: TurnState,
    calls: readonly C[],
    run: CallSettings<C, R>['run'],
    options: ToolsOptions<C>,
    done: (calls: readonly ToolCall<C, R>[]) => void,
  ) {
    requireFunction('run', run);
    if (!isList(calls)) throw wrongType('calls', 'an array of tool calls', calls);
    this.turn = turn;
    this.run = run;
    this.token = options.token === undefined ? undefined : tokenOf(options.token);
    this.graceMs = requireMs('graceMs', options.graceMs ?? turn.host.graceMs, 'infinity-allowed');
    this.onInterject = requireOneOf('onInterject', options.onInterject ?? 'finish', interjectPolicies);
    this.#mode = requireOneOf('mode', options.mode ?? 'parallel', ['parallel', 'sequential']);
    turn.requireOpen();
    this.#calls = calls.map((call, place) => new ToolCall(this, call, place, identify(call, options.identify)));
    this.#left = calls.length;
    this.#first = turn.calls.length;
    this.#isRefused = turn.token.isCancelled;
    this.#done = done;
  }

  start(): void {
    const { turn } = this;
    turn.operations.hold();
    for (const call of this.#calls) {
      turn.open.add(call);
      // The rows of the ledger stand in call order from the start, also when the batch is left before its end.
      turn.calls.push(undefined);
    }
    if (this.#left === 0) this.#end();
    else if (this.#mode === 'sequential') this.#calls[0]?.start();
    else for (const call of this.#calls) call.start();
  }

  ended({ place }: ToolCall<C, R>, outcome: ToolOutcome<R, C>): void {
    const { turn } = this;
    turn.host.emit({ type: 'tool-outcome', turnId: turn.id, outcome });
    turn.calls[this.#first + place] = outcome;
    if (--this.#left === 0) this.#end();
    else if (this.#mode === 'sequential') this.#calls[place + 1]?.start();
  }

  #end(): void {
    const { turn } = this;
    const done = (): void => {
      void turn.endIfExhausted();
      this.#done(this.#calls);
    };
    turn.operations.letGo();
    if (this.#isRefused) void turn.refused().then(done);
    else done();
  }
}

/** Runs one call. */
export function runTool<C, R>(
  turn: TurnState,
  call: C,
  run: CallSettings<C, R>['run'],
  options: ToolsOptions<C>,
): Promise<ToolOutcome<R, C>> {
  return new Promise((resolve) => {
    new Batch<C, R>(turn, [call], run, options, ([only]) => {
      resolve(only?.outcome as ToolOutcome<R, C>);
    }).start();
  });
}

/** Runs a batch. */
export function runTools<C, R>(
  turn: TurnState,
  calls: readonly C[],
  run: CallSettings<C, R>['run'],
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
