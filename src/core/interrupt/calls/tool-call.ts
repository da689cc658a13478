/**
 * One tool call, from the batch it came with to its one outcome.
 *
 * Invariants: exactly one outcome, and never before the start has returned; a tool that ignores its signal is answered
 * within its grace, stays tracked, and is heard of again when it ends; a call that is sent to the background is answered
 * at once and goes on under the same signal.
 *
 * @module
 */
import { madeInStop } from '../../combinators/engine/commits.ts';
import type { WorkSettings } from '../../combinators/engine/work.ts';
import type { LateOutcome, Outcome } from '../../combinators/outcome.ts';
import { quoted } from '../../foundation/check.ts';
import { abandonedBy, type AbandonedWork } from '../../foundation/results/abandoned-work.ts';
import { createCancelledError, type CancelledError, type DeadlineExceededError } from '../../foundation/errors.ts';
import { createReason, type CancelReason } from '../../foundation/reason.ts';
import type { StoppedWork } from '../../token/tree/owner.ts';
import type { Registration } from '../../token/tree/listeners.ts';
import { tokenBelow } from '../../token/bridge/linked-tokens.ts';
import { Source } from '../../token/source.ts';
import { cancelIfOverdue } from '../../token/time/overdue.ts';
import { childOf, type Token } from '../../token/token.ts';
import { dropParent } from '../../token/tree/child-lists.ts';
import { listen } from '../../token/tree/listeners.ts';
import { runAmbient } from '../turn/ambient-token.ts';
import { own, OWNER_VERSION } from '../turn/token-owner.ts';
import type { Paused } from '../turn/idle-pauses.ts';
import type { LateOutcomes } from '../ledger/late-outcomes.ts';
import type { Lifetime } from '../agent/lifetime.ts';
import type { CallOfSubagent, InterruptedChild } from '../agent/subagents.ts';
import type { SubagentOptions } from '../public-types/agent-options.ts';
import type { ToolOutcome, ToolStatus } from '../public-types/outcomes.ts';
import type { OperationOutcome } from '../public-types/stop-report.ts';
import type { Question } from './approvals.ts';
import type { CallIdentity } from './call-identity.ts';
import type { OperationHost } from './operation-context.ts';
import type { Operation } from '../ledger/operation-list.ts';
import { later, runOperation, type EndedOperation, type OperationOwner } from './run-operation.ts';
import type { Controller } from '../public-types/controller.ts';
import type { ToolContext } from '../public-types/tool-context.ts';
import { isDeclined, toolContext, type Declined } from './tool-context.ts';
import { leaveToItself, track, type TrackedOperation } from '../ledger/tracked-work.ts';
import type { AgentOfCalls, BackgroundOfCall, OpenToolCall, TurnOfCalls } from './turn-of-calls.ts';

/** The turn of a tool call. */
export interface TurnOfToolCalls extends TurnOfCalls {
  readonly agent: AgentOfToolCalls;
  /** What ends, or is told, when a message waits for the model. */
  readonly waits: Set<(reason: CancelReason) => void>;
  /** The rows of the ledger, in call order. */
  readonly calls: (ToolOutcome | undefined)[];
  readonly steps: ToolOutcome[];
}

/** Its agent. */
interface AgentOfToolCalls extends AgentOfCalls {
  readonly outliving: { readonly lifetime: Lifetime; readonly lateOutcomes: LateOutcomes };
  /** Reports misuse. */
  report(error: unknown): void;
  subagent(call: CallOfSubagent, name: string, options: SubagentOptions | undefined): Controller<unknown>;
}

/** What a message does to a running tool. */
export type InterjectPolicy = 'finish' | 'cancel' | 'yield';

/** What all calls of one batch have in common. */
export interface CallSettings<C, R> extends WorkSettings {
  readonly turn: TurnOfToolCalls;
  run(call: C, context: ToolContext<C>): R | PromiseLike<R>;
  readonly timeoutMs: number;
  readonly onInterject: InterjectPolicy;
  readonly canDetach: boolean;
  /** Steps of the program, and no calls that a model made: they have rows of their own, and no budget counts them. */
  readonly isStep: boolean;
  /** Not of the loop that the messages are for: none skips them. */
  readonly isAside: boolean;
  /** The caller's own, if there is one. */
  readonly token: Token | undefined;
  /** Told of each outcome. */
  ended(call: ToolCall<C, R>, outcome: ToolOutcome<R, C>): void;
}

/** What a row of the ledger says of the outcome. */
type Verdict<R> =
  | { readonly status: 'completed'; readonly value: R; readonly afterStop?: true }
  | { readonly status: 'failed'; readonly error: unknown }
  | { readonly status: 'declined'; readonly userMessage?: string }
  | { readonly status: 'detached'; readonly partial?: unknown }
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
  detached: 'detached',
} as const satisfies Record<ToolStatus, OperationOutcome>;

/** One call of a batch. */
export class ToolCall<C, R> implements OperationOwner<R>, OpenToolCall {
  readonly ownerVersion: number = OWNER_VERSION;
  readonly owns = 'call';
  readonly kind = 'tool';
  readonly endsWithValue = true;
  readonly id: string;
  readonly name: string;
  readonly call: C;
  readonly turn: TurnOfToolCalls;
  readonly settings: CallSettings<C, R>;
  readonly onInterject: InterjectPolicy;
  readonly rowKind: 'tool' | 'step';
  readonly source: Source;
  readonly place: number;
  outcome: ToolOutcome<R, C> | undefined;
  context: ToolContext | undefined;
  /** The sub-agents on this call whose last turn was stopped. */
  interruptedChildren: Map<object, InterruptedChild> | undefined;
  /** What the tool gave a row of its own, while it runs. */
  tracked: Set<Operation> | undefined;
  /** What the tool has produced so far, if it told. */
  partial: { readonly value: unknown } | undefined;
  /** What the tool asks just now. */
  questions: Set<Question> | undefined;
  /** Why a question of the tool got no answer. */
  unanswered: CancelledError | DeadlineExceededError | undefined;
  /** What the tool threw to decline, whoever caught it. */
  declined: Declined | undefined;
  /** Whether the tool entered a commit: something of it is done. */
  hasCommitted = false;
  /** Whether it has done more than ask, as far as it told. */
  hasActed = false;
  /** Work of it that a stop ended, or could not, whatever the tool made of that. */
  #stoppedWork: StoppedWork | undefined;
  #startedAt: number | undefined;
  #paused: Paused;
  #operation: Operation | undefined;
  #registration: Registration | undefined;
  #background: BackgroundOfCall | undefined;
  #interjected: Source | undefined;
  #waiting: ((outcome: OperationOutcome) => void)[] | undefined;
  /** What it does is over; one that was given up or detached goes on. */
  #hasEnded = false;
  #endedBy: CancelReason | undefined;

  constructor(batch: CallSettings<C, R>, call: C, place: number, { id, name }: CallIdentity) {
    const { turn, canDetach } = batch;
    this.id = id;
    this.name = name;
    this.call = call;
    // One that may outlive its turn hangs on the agent from birth, too.
    const token = canDetach ? tokenBelow([turn.token, turn.agent.outliving.lifetime.token]) : childOf(turn.token);
    this.source = new Source(token, { name });
    this.turn = turn;
    this.settings = batch;
    this.onInterject = batch.onInterject;
    this.rowKind = batch.isStep ? 'step' : 'tool';
    this.place = place;
    own(this.source.token, this);
  }

  get isOver(): boolean {
    return this.outcome !== undefined;
  }

  get isCutByMessage(): boolean {
    return this.onInterject === 'cancel' && this.#startedAt !== undefined;
  }

  /** Aborted when a message waits for the model; made when first asked for. */
  get interjected(): AbortSignal {
    if (this.#interjected === undefined) {
      const { turn } = this;
      const source = new Source(childOf(this.source.token));
      this.#interjected = source;
      const tell = (reason: CancelReason): void => {
        turn.waits.delete(tell);
        source.cancel(reason);
      };
      if (turn.queue.isWaiting) tell(createReason({ kind: 'interjection', at: turn.clock.now() }));
      else turn.waits.add(tell);
      listen(this.source.token, () => turn.waits.delete(tell));
    }
    return this.#interjected.signal;
  }

  /** Why nothing starts on it any more, if it has ended: no report would name that. */
  get endedBy(): CancelReason | undefined {
    return this.#hasEnded ? (this.#endedBy ??= this.#reasonOfEnd()) : undefined;
  }

  #reasonOfEnd(): CancelReason {
    const { clock, agent } = this.turn;
    const message = `The call ${quoted(this.name)} has ended`;
    return createReason({ kind: 'ended', message, source: agent.name, at: clock.now() });
  }

  /** Why its context must not start this now, if so; the first time is reported as misuse. */
  refusal(what: string): CancelledError | undefined {
    const wasRefused = this.#endedBy !== undefined;
    const reason = this.endedBy;
    if (reason === undefined) return undefined;
    if (!wasRefused) {
      const said = `${what} came after the call ${quoted(this.name)} had ended`;
      this.turn.agent.report(new TypeError(`${said}; await it in the tool, or use agent.background()`));
    }
    return createCancelledError(reason);
  }

  /** A sub-agent that hangs on this call, or lives beside the turn. */
  subagent(name: string, options: SubagentOptions | undefined): Controller<unknown> {
    return this.turn.agent.subagent(this, name, options);
  }

  /** Gives something that it started a row of its own. */
  track<T>(operation: TrackedOperation<T>, work: PromiseLike<T>): Promise<T> {
    return track(this.turn, operation, work, this);
  }

  /** Work on its token, or below, did not run to its end; what may still be running counts most. */
  workStopped(work: StoppedWork): void {
    const left = this.#stoppedWork?.abandoned;
    const isMore = left?.isOver === true && work.abandoned !== undefined;
    if (left === undefined || isMore) this.#stoppedWork = work;
  }

  /** Resolves when the call has its outcome. */
  whenDone(): Promise<OperationOutcome> {
    if (this.outcome !== undefined) return Promise.resolve(operationOutcomes[this.outcome.status]);
    return new Promise((resolve) => {
      (this.#waiting ??= []).push(resolve);
    });
  }

  /** Runs the call, unless a stop or a message came first. */
  start(): void {
    const { timeoutMs } = this.settings;
    if (timeoutMs !== Infinity) this.source.cancelAfter(timeoutMs);
    const refused = this.#refusal();
    if (refused === undefined) {
      this.#start();
      return;
    }
    if (!this.turn.isOver) this.turn.operations.refuse(this.rowKind, this.name);
    this.source.release();
    later(() => {
      this.#end(refused, 'not-started');
    });
  }

  /** Why the call must not start now, if so. */
  #refusal(): Verdict<R> | undefined {
    const { turn, token, isStep, isAside } = this.settings;
    if (token !== undefined) cancelIfOverdue(token);
    const reason = turn.refusal('tool', this.name) ?? this.source.reason ?? token?.reason;
    if (reason !== undefined) return this.#unstarted(reason);
    if (!isAside && turn.queue.skipsTools) {
      return { status: 'skipped', reason: createReason({ kind: 'interjection', at: turn.clock.now() }) };
    }
    const spent = isStep ? undefined : turn.budget?.tool();
    return spent === undefined ? undefined : { status: 'not-started', reason: spent };
  }

  #unstarted(reason: CancelReason): Verdict<R> {
    return { status: this.#isMessage(reason) ? 'skipped' : 'not-started', reason };
  }

  #start(): void {
    const { turn, token } = this.settings;
    this.#startedAt = turn.clock.now();
    this.#paused = turn.idlePauses.pause();
    if (token !== undefined) {
      this.#registration = listen(token, (reason) => {
        // A message ends the model's output; what it does to a tool, the tool says.
        if (!this.#isMessage(reason)) this.source.cancel(reason);
      });
    }
    this.#operation = runOperation<R>(turn, this);
  }

  work(host: OperationHost): R | PromiseLike<R> {
    const context = toolContext(host as OperationHost<this>) as ToolContext<C>;
    this.context = context;
    return runAmbient(this.source.token, () => this.settings.run(this.call, context));
  }

  /** Whether its work goes on in the background: the answer may be still to come. */
  get hasLeftTurn(): boolean {
    return this.#background !== undefined;
  }

  /** Whether it may be sent to the background now. */
  get canDetach(): boolean {
    const isOpen = this.context !== undefined && !this.hasLeftTurn && !this.isOver;
    // Not while a stop of it is being announced: that came first.
    return this.settings.canDetach && isOpen && !this.source.isCancelled;
  }

  /** Its work goes on as the given piece of background work: a stop of the turn reaches it no more. */
  leaveTurn(background: BackgroundOfCall): void {
    this.#background = background;
    this.#registration?.unregister();
    dropParent(this.source.token, this.turn.token);
    // The limit was for the call.
    if (this.settings.timeoutMs !== Infinity) this.source.cancelAfter(Infinity);
  }

  /** Answers the call, which has left its turn. */
  answerDetached(): void {
    const { turn } = this;
    if (this.#operation === undefined) {
      // It has sent itself there, and its start has not returned.
      later(() => {
        this.answerDetached();
      });
      return;
    }
    turn.idlePauses.resume(this.#paused);
    if (this.questions !== undefined) for (const question of this.questions) question.left();
    const partial = this.partial === undefined ? {} : { partial: this.partial.value };
    for (const each of [this.#operation, ...(this.tracked ?? [])]) turn.operations.end(each, 'detached');
    this.#end({ status: 'detached', ...partial }, 'detached');
  }

  ended(outcome: Outcome<R>, operation: Operation, work: EndedOperation): void {
    const { turn, tracked } = this;
    this.#hasEnded = outcome.status !== 'abandoned';
    this.#registration?.unregister();
    this.#interjected?.release();
    const left = this.#leftBehind(outcome);
    const verdict = this.#verdict(outcome, work, left);
    // What is over is not left running: only what it came to is unknown.
    const ended =
      verdict.status === 'unknown' && left?.isOver === true ? 'cancelled' : operationOutcomes[verdict.status];
    if (this.#hasEnded && this.questions !== undefined) {
      const reason = this.#reasonOfEnd();
      for (const question of [...this.questions]) question.ended(reason);
    }
    if (this.#background !== undefined) {
      // Likewise below: the turn has counted them as detached.
      if (tracked !== undefined) for (const each of [...tracked]) this.#background.leftBehind(each);
      this.#background.ended(outcome);
      return;
    }
    turn.idlePauses.resume(this.#paused);
    // What the tool left running without waiting for it is named like the tool itself.
    if (tracked !== undefined) {
      for (const each of [...tracked]) leaveToItself(this, each, this.#hasEnded ? work.stoppedAt : undefined);
    }
    if (outcome.status === 'abandoned') turn.operations.giveUp(operation, this.source);
    else {
      // The call has ended; what it left behind has not, and gets a row of its own.
      if (left !== undefined && left.isOver !== true) this.#nameLeft(left, operation);
      turn.operations.end(operation, ended);
    }
    this.#end(verdict, ended);
  }

  /** What the call left behind, which may be what it was for; what is to be heard of it is heard as of the call itself. */
  #nameLeft({ name, late }: AbandonedWork, operation: Operation): void {
    const { operations } = this.turn;
    if (late === undefined) {
      operations.leftBehind(name);
      return;
    }
    operations.giveUp(operation);
    void late.then((outcome) => {
      this.endedLate(outcome as LateOutcome<R>, operation);
    });
  }

  endedLate(outcome: LateOutcome<R>, operation: Operation): void {
    const { turn } = this;
    this.#hasEnded = true;
    turn.operations.endedLate(operation, outcome.status);
    if (this.#background !== undefined) this.#background.endedLate(outcome);
    else {
      turn.endedLate(this.name, outcome.status);
      // Of one that its commit has completed the model knows.
      if (!this.settings.isStep && this.outcome?.status === 'unknown')
        turn.agent.outliving.lateOutcomes.add(this, turn.id, 'unknown', outcome);
    }
  }

  #end(verdict: Verdict<R>, ended: OperationOutcome): void {
    const { turn, id, name, call } = this;
    const ms = this.#startedAt === undefined ? 0 : turn.clock.now() - this.#startedAt;
    const { reason } = this.source;
    const why = 'afterStop' in verdict && reason !== undefined ? { reason } : {};
    const outcome = { id, name, call, ms, ...verdict, ...why } as ToolOutcome<R, C>;
    this.outcome = outcome;
    // A signal that somebody keeps must not keep the call; work that still runs may ask for its context.
    if (ended !== 'abandoned' && ended !== 'detached') own(this.source.token, undefined);
    turn.open.ended();
    if (this.#waiting !== undefined) for (const resolve of this.#waiting) resolve(ended);
    this.settings.ended(this, outcome);
  }

  /** Whether something only wanted to be said: the turn itself goes on. */
  #isMessage(reason: CancelReason): boolean {
    return reason.kind === 'interjection' && !this.turn.token.isCancelled;
  }

  /** A framework that words a tool's errors itself makes a result of a refusal too. */
  #declinedBy(outcome: Outcome<R>): Declined | undefined {
    if (outcome.status === 'failed' && isDeclined(outcome.error)) return outcome.error;
    return outcome.status === 'completed' && !this.hasCommitted ? this.declined : undefined;
  }

  /** What may still be running of a call that has ended: as its error says, or, of one that was stopped, its work. */
  #leftBehind(outcome: Outcome<R>): AbandonedWork | undefined {
    if (outcome.status === 'abandoned') return undefined;
    if (outcome.status === 'cancelled') return outcome.abandoned ?? this.#stoppedWork?.abandoned;
    if (outcome.status === 'failed') return abandonedBy(outcome.error);
    return this.hasCommitted ? undefined : this.#cutWork?.abandoned;
  }

  /** Work of it that the stop of the call has ended. */
  get #cutWork(): StoppedWork | undefined {
    return this.source.isCancelled ? this.#stoppedWork : undefined;
  }

  /**
   * The one place that says what became of a call, by all that is known: how it ended, what it committed, which of its
   * work was stopped or left behind, whether it got to do anything, and what its sub-agents came to.
   */
  #verdict(outcome: Outcome<R>, work: EndedOperation, left: AbandonedWork | undefined): Verdict<R> {
    if (!work.hasBegun && outcome.status === 'cancelled') return this.#unstarted(outcome.reason);
    const declined = this.#declinedBy(outcome);
    if (declined !== undefined) {
      const { text } = declined;
      return { status: 'declined', ...(text === undefined ? {} : { userMessage: text }) };
    }
    // A commit that the stop came into ran to its end: its effect is there.
    const made = 'completed' in outcome ? madeInStop(outcome.completed) : undefined;
    if (made !== undefined) return { status: 'completed', value: made.value as R };
    const child = this.interruptedChildren?.values().next().value;
    const isLeft = outcome.status === 'abandoned' || left !== undefined;
    if (outcome.status === 'completed' && !isLeft && child !== undefined && work.committed !== undefined)
      return { status: 'completed', value: work.committed.value as R };
    // What a sub-agent on this call was stopped from doing is not done, whatever the tool makes of it.
    const reason =
      'reason' in outcome ? outcome.reason : (reasonOfLimit(outcome) ?? child?.reason ?? this.#stopBehind(outcome));
    if (reason === undefined) return outcome as Exclude<Outcome<R>, { readonly reason: CancelReason }>;
    // It was still asking whether it may. One that makes a value of the refusal went on: what it did then nobody knows.
    const isAsking = this.unanswered?.reason === reason && outcome.status !== 'completed';
    if (isAsking && !isLeft && !this.hasActed && !this.hasCommitted) return { status: 'not-started', reason };
    const by = child?.alone === true ? { by: child.name } : {};
    return { status: isLeft ? 'unknown' : 'stopped', reason, ...by, ...this.#produced(outcome, work) };
  }

  /**
   * Why what it ended with is neither its success nor its failure, if it is not: nobody allowed what it asked for, or a stop
   * ended its question or its work. What it did all the same it committed.
   */
  #stopBehind(outcome: Outcome<R>): CancelReason | undefined {
    const { unanswered } = this;
    if (outcome.status === 'failed') return outcome.error === unanswered ? unanswered?.reason : undefined;
    if (outcome.status !== 'completed' || this.hasCommitted) return undefined;
    const { reason } = this.source;
    return unanswered?.reason === reason ? reason : this.#cutWork?.reason;
  }

  /** What a call that is no success has to show. */
  #produced(outcome: Outcome<R>, { committed }: EndedOperation): { readonly partial?: unknown } {
    const partial = this.partial ?? committed;
    if (outcome.status === 'completed')
      return { partial: outcome.value === undefined ? partial?.value : outcome.value };
    return partial === undefined ? {} : { partial: partial.value };
  }
}

/** The stop that an error of ours tells of, if what it was thrown for may still be running. */
function reasonOfLimit(outcome: Outcome<unknown>): CancelReason | undefined {
  if (outcome.status !== 'failed' || abandonedBy(outcome.error) === undefined) return undefined;
  return (outcome.error as CancelledError).reason;
}
