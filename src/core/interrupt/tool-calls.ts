/**
 * The ledger: runs tool calls and gives each exactly one outcome.
 * In the interrupt room below the turn.
 *
 * Invariants: one outcome per call, in call order; no call starts once the turn is cancelled; a tool that ignores its
 * signal is answered within its grace, stays tracked, and is heard of again when it ends.
 *
 * Prior art: "tool call repair" in coding agents, done at the source instead.
 *
 * @module
 */
import type { CancelContext } from '../combinators/context.ts';
import type { Outcome } from '../combinators/settle.ts';
import { Work } from '../combinators/work.ts';
import { requireFunction, requireMs, requireOneOf, show } from '../foundation/check.ts';
import { createReason, type CancelReason } from '../foundation/reason.ts';
import { tokenOf } from '../token/link.ts';
import { listen } from '../token/listener.ts';
import { Source, childOf, type Token } from '../token/source.ts';
import { identify, type CallIdentity } from './call-identity.ts';
import type { ToolsOptions } from './call-options.ts';
import { cancelTurnFrom, type CancelTurn } from './caller.ts';
import type { ToolContext } from './handles.ts';
import type { ToolOutcome, ToolStatus } from './outcomes.ts';
import type { OperationOutcome } from './report.ts';
import { CallOwner } from './owner.ts';
import { Declined, CallContext } from './tool-context.ts';
import type { InterjectPolicy, OpenCall, TurnState } from './turn-state.ts';

type Run<C, R> = (call: C, context: ToolContext<C>) => R | PromiseLike<R>;

/** One call, from the batch it came with to its outcome. */
class ToolCall<C, R> extends CallOwner implements OpenCall {
  readonly id: string;
  readonly name: string;
  readonly source: Source;
  readonly onInterject: InterjectPolicy;
  readonly interruptedChildren: OpenCall['interruptedChildren'] = new Map();
  readonly tracked: OpenCall['tracked'] = new Set();
  readonly done: Promise<OperationOutcome>;
  unanswered: CancelReason | undefined;
  declined: { readonly text: string | undefined } | undefined;
  hasCommitted = false;
  readonly #turn: TurnState;
  readonly #call: C;
  readonly #settings: CallSettings;
  #startedAt: number | undefined;
  #partial: { readonly value: unknown } | undefined;
  #end: (outcome: OperationOutcome) => void = () => undefined;

  constructor(turn: TurnState, call: C, identity: CallIdentity, settings: CallSettings) {
    super();
    this.#turn = turn;
    this.#call = call;
    this.id = identity.id;
    this.name = identity.name;
    this.onInterject = settings.onInterject;
    this.#settings = settings;
    this.source = new Source(childOf(turn.token), { name: identity.name });
    this.owns(this.source.token);
    this.done = new Promise((resolve) => {
      this.#end = resolve;
    });
    turn.open.add(this);
  }

  get isStarted(): boolean {
    return this.#startedAt !== undefined;
  }

  /** Runs the call, unless a stop or a message came first. */
  async settle(run: Run<C, R>): Promise<ToolOutcome<R, C>> {
    const turn = this.#turn;
    const refused = this.#refusal();
    let result: ToolOutcome<R, C>;
    if (refused === undefined) result = await this.#run(run);
    else {
      turn.operations.refuse('tool', this.name);
      this.source.release();
      result = { id: this.id, name: this.name, call: this.#call, ms: 0, ...refused };
      this.#end('not-started');
    }
    turn.open.delete(this);
    turn.host.emit({ type: 'tool-outcome', turnId: turn.id, outcome: result });
    return result;
  }

  /** Why the call must not start now, if so. */
  #refusal(): { readonly status: 'not-started' | 'skipped'; readonly reason: CancelReason } | undefined {
    const reason = this.source.reason ?? this.#settings.token.reason;
    if (reason !== undefined) return { status: this.#isMessage(reason) ? 'skipped' : 'not-started', reason };
    if (this.#turn.queue.skipsTools) {
      return { status: 'skipped', reason: createReason({ kind: 'interjection', at: this.#turn.clock.now() }) };
    }
    const spent = this.#turn.budget?.tool();
    return spent === undefined ? undefined : { status: 'not-started', reason: spent };
  }

  async #run(run: Run<C, R>): Promise<ToolOutcome<R, C>> {
    const turn = this.#turn;
    this.#startedAt = turn.clock.now();
    const operation = turn.operations.start('tool', this.name);
    turn.idlePauses.pause();
    const heard = listen(this.#settings.token, (reason) => {
      // A message ends the model's output; what it does to a tool, the tool says.
      if (!this.#isMessage(reason)) this.source.cancel(reason);
    });
    const outcome = await new Promise<Outcome<R>>((resolve) => {
      const settings = {
        settle: 'wait',
        graceMs: this.#settings.graceMs,
        idleMs: Infinity,
        name: this.name,
        onLateSettle: (late: { readonly status: 'completed' | 'failed' | 'cancelled' }) => {
          turn.host.emit({ type: 'late-settled', turnId: turn.id, name: this.name, status: late.status });
        },
      } as const;
      const work = new Work<R>(this.source, settings, resolve);
      work.run((context) => {
        const { calling } = turn;
        turn.calling = this;
        try {
          return run(this.#call, this.#context(context, cancelTurnFrom(turn, work, operation)));
        } finally {
          turn.calling = calling;
        }
      });
    });
    heard.unregister();
    turn.idlePauses.resume();
    const result = this.#outcomeOf(outcome);
    const ended = isLeftBehind(outcome) ? 'abandoned' : operationOutcomes[result.status];
    // What the tool left running without waiting for it is named like the tool itself.
    for (const tracked of this.tracked) turn.operations.end(tracked, 'abandoned');
    turn.operations.end(operation, ended);
    this.#end(ended);
    return result;
  }

  /** Whether something only wanted to be said: the turn itself goes on. */
  #isMessage(reason: CancelReason): boolean {
    return reason.kind === 'interjection' && !this.#turn.token.isCancelled;
  }

  #context(context: CancelContext, cancelTurn: CancelTurn): ToolContext<C> {
    const keep = (value: unknown): void => {
      this.#partial = { value };
    };
    const own = new CallContext(context, this.#call, { running: this, turn: this.#turn, cancelTurn, keep });
    this.context = own;
    return own;
  }

  /** A framework that words a tool's errors itself makes a result of a refusal too. */
  #declinedBy(outcome: Outcome<R>): OpenCall['declined'] {
    if (outcome.status === 'failed' && outcome.error instanceof Declined) return outcome.error;
    return outcome.status === 'completed' && !this.hasCommitted ? this.declined : undefined;
  }

  #outcomeOf(outcome: Outcome<R>): ToolOutcome<R, C> {
    const base = {
      id: this.id,
      name: this.name,
      call: this.#call,
      ms: this.#turn.clock.now() - (this.#startedAt ?? 0),
    };
    const partial = this.#partial === undefined ? {} : { partial: this.#partial.value };
    const [child] = this.interruptedChildren.values();
    const declined = this.#declinedBy(outcome);
    if (declined !== undefined) {
      const { text } = declined;
      return { ...base, status: 'declined', ...(text === undefined ? {} : { message: text }) };
    }
    // A commit that was entered ran to its end: its effect is there.
    if ('completed' in outcome) return { ...base, status: 'completed', value: outcome.completed.value as R };
    if ('reason' in outcome && isLeftBehind(outcome))
      return { ...base, status: 'unknown', reason: outcome.reason, ...partial };
    // What a sub-agent on this call was stopped from doing is not done, whatever the tool makes of it.
    const by = child?.alone === true ? { by: child.name } : {};
    if (child !== undefined && outcome.status !== 'cancelled') {
      const said = outcome.status === 'completed' ? { partial: outcome.value } : partial;
      return { ...base, status: 'stopped', reason: child.reason, ...by, ...said };
    }
    if (outcome.status === 'failed') return { ...base, status: 'failed', error: outcome.error };
    // Nobody allowed what it asked for, so that its return is no success; what it did all the same it committed.
    if (outcome.status === 'completed' && this.unanswered !== undefined && !this.hasCommitted) {
      const said = outcome.value === undefined ? partial : { partial: outcome.value };
      return { ...base, status: 'stopped', reason: this.unanswered, ...said };
    }
    if (outcome.status === 'completed') return { ...base, status: 'completed', value: outcome.value };
    return { ...base, status: 'stopped', reason: outcome.reason, ...by, ...partial };
  }
}

/** It ignored the stop, or something it waited for did. */
function isLeftBehind<R>(outcome: Outcome<R>): boolean {
  return outcome.status === 'abandoned' || (outcome.status === 'cancelled' && outcome.abandoned !== undefined);
}

const operationOutcomes = {
  completed: 'completed',
  failed: 'failed',
  stopped: 'cancelled',
  unknown: 'abandoned',
  declined: 'completed',
  'not-started': 'not-started',
  skipped: 'not-started',
} as const satisfies Record<ToolStatus, OperationOutcome>;

interface CallSettings {
  readonly graceMs: number;
  readonly onInterject: InterjectPolicy;
  readonly token: Token;
}

/** What all calls of one batch have in common, checked once. */
function checked<C>(turn: TurnState, options: ToolsOptions<C>): CallSettings {
  return {
    token: tokenOf(options.token),
    graceMs: requireMs('graceMs', options.graceMs ?? turn.host.graceMs, 'infinity-allowed'),
    onInterject: requireOneOf('onInterject', options.onInterject ?? 'finish', ['finish', 'cancel', 'yield']),
  };
}

/** Runs one call. */
export async function runTool<C, R>(
  turn: TurnState,
  call: C,
  run: Run<C, R>,
  options: ToolsOptions<C>,
): Promise<ToolOutcome<R, C>> {
  const [outcome] = await runTools(turn, [call], run, options);
  return outcome as ToolOutcome<R, C>;
}

/** Runs a batch; misuse is found before anything starts. */
export async function runTools<C, R>(
  turn: TurnState,
  calls: readonly C[],
  run: Run<C, R>,
  options: ToolsOptions<C>,
): Promise<ToolOutcome<R, C>[]> {
  requireFunction('run', run);
  if (!isList(calls)) throw new TypeError(`calls must be an array of tool calls, got ${show(calls)}`);
  const settings = checked(turn, options);
  const mode = requireOneOf('mode', options.mode ?? 'parallel', ['parallel', 'sequential']);
  turn.requireOpen();
  const identities = calls.map((call) => identify(call, options.identify));
  const batch = calls.map((call, index) => new ToolCall<C, R>(turn, call, identities[index] as CallIdentity, settings));
  // The rows of the ledger stand in call order from the start, also when the batch is left before its end.
  const first = turn.calls.length;
  const outcomes: ToolOutcome<R, C>[] = [];
  turn.calls.length += calls.length;
  const one = async (call: ToolCall<C, R>, index: number): Promise<void> => {
    const outcome = await call.settle(run);
    turn.calls[first + index] = outcome;
    outcomes[index] = outcome;
  };
  const isRefused = turn.token.isCancelled;
  turn.operations.hold();
  try {
    if (mode === 'parallel') await Promise.all(batch.map(one));
    else for (const [index, call] of batch.entries()) await one(call, index);
  } finally {
    turn.operations.letGo();
  }
  if (isRefused) await turn.refused();
  void turn.endIfExhausted();
  return outcomes;
}

/** `Array.isArray` forgets the type of a readonly list. */
function isList(value: unknown): boolean {
  return Array.isArray(value);
}
