/**
 * One tool call, from the batch it came with to its one outcome.
 * In the interrupt room below `tool-calls.ts`, which makes the batches.
 *
 * Invariants: exactly one outcome, and never in the same go as the start; a tool that ignores its signal is answered
 * within its grace, stays tracked, and is heard of again when it ends.
 *
 * @module
 */
import type { ContextHost } from '../combinators/context.ts';
import type { Outcome } from '../combinators/settle.ts';
import { createReason, type CancelReason } from '../foundation/reason.ts';
import type { Registration } from '../token/handles.ts';
import { listen } from '../token/listener.ts';
import { Source, childOf, type Token } from '../token/source.ts';
import type { CallIdentity } from './call-identity.ts';
import type { ToolContext } from './handles.ts';
import type { ToolOutcome, ToolStatus } from './outcomes.ts';
import { CallOwner } from './owner.ts';
import type { Operation, OperationOutcome } from './report.ts';
import { later, runOperation, type CancelTurn, type OperationOwner } from './run-operation.ts';
import { CallContext, Declined, callMembers } from './tool-context.ts';
import type { InterjectPolicy, OpenCall, TurnState } from './turn-state.ts';

/** What all calls of one batch have in common. */
export interface CallSettings<C, R> {
  readonly turn: TurnState;
  readonly run: (call: C, context: ToolContext<C>) => R | PromiseLike<R>;
  readonly graceMs: number;
  readonly onInterject: InterjectPolicy;
  /** The caller's own, if there is one. */
  readonly token: Token | undefined;
  /** Told of each outcome. */
  ended(call: ToolCall<C, R>, outcome: ToolOutcome<R, C>): void;
}

/** What a row of the ledger says of the outcome. */
type Verdict<R> =
  | { readonly status: 'completed'; readonly value: R }
  | { readonly status: 'failed'; readonly error: unknown }
  | { readonly status: 'declined'; readonly message?: string }
  | {
      readonly status: 'not-started' | 'skipped' | 'stopped' | 'unknown';
      readonly reason: CancelReason;
      readonly by?: string;
      readonly partial?: unknown;
    };

const operationOutcomes = {
  completed: 'completed',
  failed: 'failed',
  stopped: 'cancelled',
  unknown: 'abandoned',
  declined: 'completed',
  'not-started': 'not-started',
  skipped: 'not-started',
} as const satisfies Record<ToolStatus, OperationOutcome>;

/** It ignored the stop, or something it waited for did. */
function isLeftBehind(outcome: Outcome<unknown>): boolean {
  return outcome.status === 'abandoned' || (outcome.status === 'cancelled' && outcome.abandoned !== undefined);
}

/** One call of a batch. */
export class ToolCall<C, R> extends CallOwner implements OpenCall, OperationOwner<R> {
  readonly id: string;
  readonly name: string;
  readonly call: C;
  readonly kind = 'tool';
  readonly source: Source;
  readonly place: number;
  outcome: ToolOutcome<R, C> | undefined;
  interruptedChildren: OpenCall['interruptedChildren'];
  tracked: OpenCall['tracked'];
  partial: OpenCall['partial'];
  unanswered: OpenCall['unanswered'];
  declined: OpenCall['declined'];
  hasCommitted = false;
  readonly #batch: CallSettings<C, R>;
  #startedAt: number | undefined;
  #heard: Registration | undefined;
  #waiting: ((outcome: OperationOutcome) => void)[] | undefined;

  constructor(batch: CallSettings<C, R>, call: C, place: number, { id, name }: CallIdentity) {
    super();
    this.id = id;
    this.name = name;
    this.call = call;
    this.source = new Source(childOf(batch.turn.token), { name });
    this.#batch = batch;
    this.place = place;
    this.owns(this.source.token);
  }

  get turn(): TurnState {
    return this.#batch.turn;
  }

  get onInterject(): InterjectPolicy {
    return this.#batch.onInterject;
  }

  get graceMs(): number {
    return this.#batch.graceMs;
  }

  get isOver(): boolean {
    return this.outcome !== undefined;
  }

  get isCutByMessage(): boolean {
    return this.onInterject === 'cancel' && this.#startedAt !== undefined;
  }

  whenDone(): Promise<OperationOutcome> {
    return new Promise((resolve) => {
      (this.#waiting ??= []).push(resolve);
    });
  }

  /** Runs the call, unless a stop or a message came first. */
  start(): void {
    const refused = this.#refusal();
    if (refused === undefined) {
      this.#start();
      return;
    }
    this.turn.operations.refuse('tool', this.name);
    this.source.release();
    later(() => {
      this.#end(refused, 'not-started');
    });
  }

  /** Why the call must not start now, if so. */
  #refusal(): Verdict<R> | undefined {
    const { turn, token } = this.#batch;
    const reason = this.source.reason ?? token?.reason;
    if (reason !== undefined) return { status: this.#isMessage(reason) ? 'skipped' : 'not-started', reason };
    if (turn.queue.has('after-current-tool')) {
      return { status: 'skipped', reason: createReason({ kind: 'interjection', at: turn.clock.now() }) };
    }
    const spent = turn.budget?.tool();
    return spent === undefined ? undefined : { status: 'not-started', reason: spent };
  }

  #start(): void {
    const { turn, token } = this.#batch;
    this.#startedAt = turn.clock.now();
    turn.idlePauses.pause();
    if (token !== undefined) {
      this.#heard = listen(token, (reason) => {
        // A message ends the model's output; what it does to a tool, the tool says.
        if (!this.#isMessage(reason)) this.source.cancel(reason);
      });
    }
    runOperation<R>(turn, this);
  }

  run(host: ContextHost, cancelTurn: CancelTurn): R | PromiseLike<R> {
    const { turn, run } = this.#batch;
    const own = new Proxy<ToolContext<C>>(new CallContext<C>(host, cancelTurn, this), callMembers);
    this.context = own;
    const { calling } = turn;
    turn.calling = this;
    try {
      return run(this.call, own);
    } finally {
      turn.calling = calling;
    }
  }

  settled(outcome: Outcome<R>, operation: Operation): void {
    const { turn, tracked } = this;
    this.#heard?.unregister();
    turn.idlePauses.resume();
    const verdict = this.#verdict(outcome);
    const ended = isLeftBehind(outcome) ? 'abandoned' : operationOutcomes[verdict.status];
    // What the tool left running without waiting for it is named like the tool itself.
    if (tracked !== undefined) for (const each of tracked) turn.operations.end(each, 'abandoned');
    turn.operations.end(operation, ended);
    this.#end(verdict, ended);
  }

  #end(verdict: Verdict<R>, ended: OperationOutcome): void {
    const { turn, id, name, call } = this;
    const ms = this.#startedAt === undefined ? 0 : turn.clock.now() - this.#startedAt;
    const outcome = { id, name, call, ms, ...verdict } as ToolOutcome<R, C>;
    this.outcome = outcome;
    turn.open.ended();
    if (this.#waiting !== undefined) for (const resolve of this.#waiting) resolve(ended);
    this.#batch.ended(this, outcome);
  }

  /** Whether something only wanted to be said: the turn itself goes on. */
  #isMessage(reason: CancelReason): boolean {
    return reason.kind === 'interjection' && !this.turn.token.isCancelled;
  }

  /** A framework that words a tool's errors itself makes a result of a refusal too. */
  #declinedBy(outcome: Outcome<R>): OpenCall['declined'] {
    if (outcome.status === 'failed' && outcome.error instanceof Declined) return outcome.error;
    return outcome.status === 'completed' && !this.hasCommitted ? this.declined : undefined;
  }

  #verdict(outcome: Outcome<R>): Verdict<R> {
    const declined = this.#declinedBy(outcome);
    if (declined !== undefined) {
      const { text } = declined;
      return { status: 'declined', ...(text === undefined ? {} : { message: text }) };
    }
    // A commit that was entered ran to its end: its effect is there.
    if ('completed' in outcome) return { status: 'completed', value: outcome.completed.value as R };
    if ('reason' in outcome && isLeftBehind(outcome)) {
      return { status: 'unknown', reason: outcome.reason, ...this.#produced(outcome) };
    }
    const child = this.interruptedChildren?.values().next().value;
    // What a sub-agent on this call was stopped from doing is not done, whatever the tool makes of it.
    const reason = 'reason' in outcome ? outcome.reason : (child?.reason ?? this.#unansweredIn(outcome));
    if (reason === undefined) return outcome as Exclude<Outcome<R>, { readonly reason: CancelReason }>;
    const by = child?.alone === true ? { by: child.name } : {};
    return { status: 'stopped', reason, ...by, ...this.#produced(outcome) };
  }

  /** Nobody allowed what it asked for, so that its return is no success; what it did all the same it committed. */
  #unansweredIn(outcome: Outcome<R>): CancelReason | undefined {
    return outcome.status === 'completed' && !this.hasCommitted ? this.unanswered : undefined;
  }

  /** What a call that is no success has to show. */
  #produced(outcome: Outcome<R>): { readonly partial?: unknown } {
    const { partial } = this;
    if (outcome.status === 'completed')
      return { partial: outcome.value === undefined ? partial?.value : outcome.value };
    return partial === undefined ? {} : { partial: partial.value };
  }
}
