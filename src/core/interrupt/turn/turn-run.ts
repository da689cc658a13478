/**
 * One accepted turn from its start to its one terminal report, and what its model calls and tool calls share.
 *
 * Invariants: the body runs at most once, and not at all if the turn was cancelled before its start; when the body has
 * ended the turn is closed and starts nothing more; the report is made exactly once, after every operation has ended or
 * was given up, and nothing is said of the turn after it.
 *
 * @module
 */
import type { Outcome } from '../../combinators/outcome.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Releasable } from '../../foundation/disposable.ts';
import { isCancelledError } from '../../foundation/errors.ts';
import { createReason, type CancelReason, type CancelReasonLike } from '../../foundation/reason.ts';
import type { Registration } from '../../token/tree/listeners.ts';
import { Source } from '../../token/source.ts';
import { childOf, type Token } from '../../token/token.ts';
import { cancelIfOverdue } from '../../token/time/overdue.ts';
import { sourceBelow } from '../../token/cancellation-token-source.ts';
import { listenKilled, listenWith } from '../../token/tree/listeners.ts';
import type { StillRunning } from '../ledger/still-running.ts';
import { CompactingList } from '../ledger/compacting-list.ts';
import type { TurnOfModelCalls } from '../calls/model-call.ts';
import { OperationList, type Operation } from '../ledger/operation-list.ts';
import { runTool } from '../calls/tool-batch.ts';
import type { TurnOfToolCalls } from '../calls/tool-call.ts';
import type { OpenWork } from '../calls/turn-of-calls.ts';
import type { Message } from '../messages/message.ts';
import { TurnMessages } from '../messages/turn-messages.ts';
import type { PartialOutput, ToolOutcome } from '../public-types/outcomes.ts';
import type { OperationOutcome, StopReceipt, StopReport } from '../public-types/stop-report.ts';
import type { Turn } from '../public-types/turn.ts';
import type { TurnReport } from '../public-types/turn-report.ts';
import { Refusals } from '../stops/refusal-pacing.ts';
import { markStop, tellStop, type StopProgress } from '../stops/stop-record.ts';
import { hearStop, type StoppableTurn } from '../stops/stop-turn.ts';
import { BudgetWatch, type TurnBudget } from './budget.ts';
import { IdlePauses } from './idle-pauses.ts';
import { rowsOf, stopReport, turnReport, type MadeByTurn } from '../ledger/make-reports.ts';
import { enterRunningTurns, leaveRunningTurns } from './running-turns.ts';
import { own, OWNER_VERSION } from './token-owner.ts';
import { TurnBody } from './turn-body.ts';
import { turnHandle } from './turn.ts';

/** What a turn begins with. */
export interface TurnSetting {
  /** The tokens that end it. */
  readonly parents: readonly Token[];
  /** The turn of the parent that waits for this one. */
  readonly above: TurnRun | undefined;
  readonly budget: TurnBudget | undefined;
  /** Nobody has asked for it. */
  readonly isAutomatic: boolean;
}

/** The agent of a turn. */
type AgentOfTurn = TurnOfModelCalls['agent'] & TurnOfToolCalls['agent'] & StoppableTurn['agent'] & OwnAgent;

/** What the turn itself needs of it. */
interface OwnAgent {
  readonly stillRunning: StillRunning;
  readonly messages: MessagesOfAgent;
  /** The turn's budget is used up, and nothing of it runs any more. */
  endTurn(run: { readonly id: number }, reason: CancelReason): void;
  cancelFrom(run: TurnRun, reason: CancelReasonLike | undefined, caller?: Operation): StopReceipt;
}

/** The messages of the agent. */
interface MessagesOfAgent {
  delivered(run: TurnRun, messages: readonly Message[], modelCall?: number): void;
  putBack(run: TurnRun, messages: readonly Message[]): void;
  giveBack(run: TurnRun): void;
}

function isOver(work: OpenWork): boolean {
  return work.isOver;
}

function tokenCancelled(_reason: CancelReason, run: TurnRun): void {
  run.cancelled();
}

/** A turn while it runs. */
export class TurnRun implements TurnOfModelCalls, TurnOfToolCalls, StoppableTurn {
  readonly ownerVersion: number = OWNER_VERSION;
  readonly owns = 'turn';
  readonly id: number;
  readonly agent: AgentOfTurn;
  /** Its token says which stop came first. */
  readonly stops: Source;
  /** What everything of it hangs on: stopped with it, and by itself when the body has thrown. */
  readonly source: Source;
  readonly startedAt: number;
  readonly operations: OperationList;
  /** What listeners threw while they were told. */
  #callbackErrors: unknown[] | undefined;
  readonly queue: TurnMessages = new TurnMessages();
  #calls: (ToolOutcome | undefined)[] | undefined;
  #partials: PartialOutput[] | undefined;
  #steps: ToolOutcome[] | undefined;
  readonly open: CompactingList<OpenWork> = new CompactingList<OpenWork>(isOver);
  #waits: Set<(reason: CancelReason) => void> | undefined;
  #guests: Releasable[] | undefined;
  readonly idlePauses: IdlePauses = new IdlePauses();
  readonly budget: BudgetWatch | undefined;
  #above: TurnRun | undefined;
  readonly #isAutomatic: boolean;
  readonly #row: Operation | undefined;
  #onCancelled: Registration | undefined;
  #onKilled: Registration | undefined;
  /** Where it stands among the running turns of the process. */
  runningPlace: number;
  modelCalls = 0;
  /** How many messages came to cut a generation. */
  cuts = 0;
  /** The report is made: a handle that somebody kept starts nothing any more. */
  isOver = false;
  #stop: StopProgress | undefined;
  /** The body has ended: nothing starts any more. */
  #isClosed = false;
  #wasMisused = false;
  #unledgered: Set<string> | undefined;
  #refusals: Refusals | undefined;
  #body: { stopped(): void } | undefined;
  #report: StopReport | undefined;
  #settled: Promise<StopReport> | undefined;
  #resolveSettled: ((report: StopReport) => void) | undefined;

  constructor(id: number, agent: AgentOfTurn, { parents, above, budget, isAutomatic }: TurnSetting) {
    const { name, clock } = agent;
    this.id = id;
    this.agent = agent;
    this.#above = above;
    this.#isAutomatic = isAutomatic;
    // One parent is the rule, and costs the least.
    const only = parents.length === 1 ? parents[0] : undefined;
    this.stops = only === undefined ? sourceBelow({ parent: parents }) : new Source(childOf(only));
    this.source = new Source(childOf(this.stops.token), { name });
    own(this.source.token, this);
    this.startedAt = clock.now();
    this.operations = new OperationList(agent, id, above?.operations);
    this.budget = budget && new BudgetWatch(budget, clock);
    this.#row = above?.operations.start('subagent', name);
    this.runningPlace = enterRunningTurns(this);
  }

  /** In call order; a place without a row is a call that has no outcome yet. */
  get calls(): (ToolOutcome | undefined)[] {
    return (this.#calls ??= []);
  }

  get partials(): PartialOutput[] {
    return (this.#partials ??= []);
  }

  /** In the order of their ends. */
  get steps(): ToolOutcome[] {
    return (this.#steps ??= []);
  }

  get clock(): Clock {
    return this.agent.clock;
  }

  get token(): Token {
    return this.source.token;
  }

  /** The turn that waits for this one. */
  get above(): TurnRun | undefined {
    return this.#above;
  }

  /** How far it has acted on its stop, if there is one. From the first look on the ledger keeps what ends. */
  get stop(): StopProgress | undefined {
    if (this.#stop === undefined && this.token.isCancelled) {
      this.operations.keep();
      const requestedAt = this.clock.now();
      this.#stop = { requestedAt, acknowledgedAt: requestedAt, isSaid: false };
    }
    return this.#stop;
  }

  /** Resolves with the report when the turn has ended; never rejects. */
  get settled(): Promise<StopReport> {
    if (this.#report !== undefined) return Promise.resolve(this.#report);
    return (this.#settled ??= new Promise((resolve) => {
      this.#resolveSettled = resolve;
    }));
  }

  /** Something that hangs on more than this turn is released with it. */
  addGuest(guest: Releasable): void {
    (this.#guests ??= []).push(guest);
  }

  /** For a guard of another copy of the package, which has a ledger of its own otherwise. */
  get runTool(): typeof runTool {
    return runTool;
  }

  /** Hears of stops that did not come through the controller. */
  listen(): void {
    this.#onCancelled = listenWith(this.stops.token, tokenCancelled, this);
  }

  /** Its token was cancelled. */
  cancelled(): void {
    this.#body?.stopped();
    const hear = (): void => {
      hearStop(this);
    };
    // Only what was cancelled can be killed later.
    if (!this.isOver) this.#onKilled = listenKilled(this.stops.token, hear);
    hear();
  }

  /** Tells those who watch operations, once, after the stop itself was announced. */
  sayStopping(): void {
    const { stop, token } = this;
    const { reason } = token;
    if (stop === undefined || reason === undefined || stop.isSaid) return;
    stop.isSaid = true;
    this.agent.events.emitOperation({ type: 'turn-stopping', turnId: this.id, reason });
    if (this.#row !== undefined) this.#above?.operations.stopping(this.#row, reason);
  }

  /** Why nothing may start now, if so; what the turn is asked for after its body is reported as misuse, once. */
  refusal(kind: 'model' | 'tool', name: string): CancelReason | undefined {
    const { token } = this;
    if (cancelIfOverdue(token) && this.stop !== undefined) return token.reason;
    if (!this.#isClosed) return undefined;
    if (!this.#wasMisused) {
      this.#wasMisused = true;
      const what = `the ${kind} call ${JSON.stringify(name)} was started after the body of turn ${String(this.id)}`;
      this.agent.report(new TypeError(`${what} had ended; await it in the body, or use agent.background()`));
    }
    const message = `The body of turn ${String(this.id)} has ended`;
    return createReason({ kind: 'ended', message, source: this.agent.name, at: this.clock.now() });
  }

  get refusals(): Refusals {
    return (this.#refusals ??= new Refusals(this.clock, this.isOver));
  }

  /** Notes what a listener threw, here and in the turn that waits for this one. */
  callbackThrew(error: unknown): void {
    (this.#callbackErrors ??= []).push(error);
    this.#above?.callbackThrew(error);
  }

  giveBackMessages(): void {
    this.agent.messages.giveBack(this);
  }

  messagesDelivered(messages: readonly Message[], modelCall?: number): void {
    this.agent.messages.delivered(this, messages, modelCall);
  }

  putBackMessages(messages: readonly Message[]): void {
    this.agent.messages.putBack(this, messages);
  }

  /** Ends the model's output, and the tools that asked to hear of messages; nothing else. */
  cutGeneration(): void {
    const reason = { kind: 'interjection' } as const;
    this.cuts++;
    for (const work of this.open.list()) {
      if (work.isCutByMessage) work.source.cancel(reason);
    }
  }

  /** What ends, or is told, when a message waits for the model. */
  get waits(): Set<(reason: CancelReason) => void> {
    return (this.#waits ??= new Set());
  }

  /** A message waits for the model: tools that only wait for something need not keep it. */
  messageWaits(reason: CancelReason): void {
    if (this.#waits !== undefined) for (const tell of [...this.#waits]) tell(reason);
  }

  /** Ends the turn if its budget refused a start for good; what runs runs to its end first. */
  async endIfExhausted(): Promise<void> {
    const reason = this.budget?.exhausted;
    if (reason === undefined) return;
    await this.operations.whenIdle();
    if (!this.isOver) this.agent.endTurn(this, reason);
  }

  /** It is stopped by one of its operations, or by its body: the report waits for everybody else. */
  cancelFrom(reason: CancelReasonLike | undefined, caller?: Operation): StopReceipt {
    return this.agent.cancelFrom(this, reason, caller);
  }

  /** A guarded tool was called beside the turn, with nothing that leads to it; said once for each tool. */
  unledgered(name: string): void {
    if (this.#unledgered?.has(name) === true) return;
    (this.#unledgered ??= new Set()).add(name);
    this.agent.emit({ type: 'unledgered', name });
  }

  /** Something that was given up has ended after all. */
  endedLate(name: string, status: OperationOutcome): void {
    if (status !== 'completed' && status !== 'failed' && status !== 'cancelled') return;
    this.agent.emit({ type: 'late-settled', turnId: this.id, name, status });
  }

  /** The body has ended: closes the turn; returns what is still to be waited for, if anything is. */
  bodyEnded(outcome: Outcome<unknown>): Promise<void> | undefined {
    const { operations } = this;
    this.#isClosed = true;
    if (outcome.status === 'failed') this.#stopTheRest(outcome.error);
    if (!operations.isIdle) this.#tellWhatRuns();
    return this.whenIdle();
  }

  /** What is still to be waited for, if anything is. */
  whenIdle(): Promise<void> | undefined {
    if (!this.operations.isIdle) return this.operations.whenIdle();
    // A budget that refused a start ends the turn, whatever the body made of that.
    const isRefused = this.budget?.exhausted !== undefined && this.stops.reason === undefined;
    return isRefused ? this.endIfExhausted() : undefined;
  }

  /** Runs the body to its outcome; not at all if the turn was cancelled before. */
  runBody<T>(body: (turn: Turn) => T | PromiseLike<T>): Outcome<T> | Promise<Outcome<T>> {
    const { token } = this;
    const early = cancelIfOverdue(token) ? token.reason : undefined;
    if (early !== undefined) return { status: 'cancelled', reason: early };
    if (!this.#isAutomatic) this.agent.status.personSpoke();
    return new Promise((resolve) => {
      const running = new TurnBody(this, () => body(turnHandle(this)), resolve);
      this.#body = running;
      running.start();
    });
  }

  /** A body that threw has nothing to wait for: what it started is told to stop (Trio's rule). */
  #stopTheRest(error: unknown): void {
    if (this.operations.isIdle || this.token.isCancelled) return;
    // One that was refused for good ends the turn too, but what runs runs to its end.
    if (isCancelledError(error) && error.reason === this.budget?.exhausted) return;
    const reason = createReason({ kind: 'sibling', source: this.agent.name, cause: error, at: this.clock.now() });
    // No stop that anybody asked for: only those below hear of it.
    markStop(this.source, 'cancel', reason);
    this.agent.events.noteAnnounced('cancel', reason);
    this.sayStopping();
    tellStop(this.source, 'cancel');
    if (this.stop !== undefined) this.stop.acknowledgedAt = this.clock.now();
  }

  #tellWhatRuns(): void {
    const running = this.operations.list().filter(({ outcome }) => outcome === undefined);
    if (running.length === 0) return;
    this.agent.emit({ type: 'body-ended', turnId: this.id, running: running.map(({ name }) => name) });
  }

  /** The call that this turn is part of goes on in the background: the turn above waits for it no more. */
  detach(): void {
    this.endRow('detached');
    this.operations.detach();
    this.#above = undefined;
  }

  /** The row of this turn in the list of the turn above it. */
  endRow(outcome: OperationOutcome): void {
    if (this.#row !== undefined) this.#above?.operations.end(this.#row, outcome);
  }

  /** It has ended: a stop that comes now is not its own any more. */
  seal(): void {
    this.#onCancelled?.unregister();
    this.#onKilled?.unregister();
    this.isOver = true;
    this.source.release();
    this.stops.release();
    leaveRunningTurns(this);
    this.#refusals?.turnEnded();
  }

  /** Makes the reports, tells everybody who waits, and releases everything. */
  end<T>(outcome: Outcome<T>, undelivered: readonly Message[]): TurnReport<T> {
    const stop = this.stop === undefined ? undefined : this.#stopReport(undelivered);
    const report = turnReport(this, outcome, undelivered, stop, this.#takeMade());
    if (this.#resolveSettled !== undefined || stop !== undefined) this.#report = stop ?? this.#stopReport(undelivered);
    if (this.#report !== undefined) this.#resolveSettled?.(this.#report);
    if (this.#guests !== undefined) for (const guest of this.#guests) guest.release();
    return report;
  }

  /** Hands over what the calls returned: a token that somebody keeps leads here, and must not keep it. */
  #takeMade(): MadeByTurn {
    const made = { calls: this.#calls, partials: this.#partials, steps: this.#steps };
    this.#calls = this.#partials = this.#steps = undefined;
    return made;
  }

  /** The report for one who is part of the turn: it waits neither for them nor for others who ask it too. */
  async settledFor(caller: Operation | undefined, undelivered: () => readonly Message[]): Promise<StopReport> {
    const { operations, agent } = this;
    await operations.whenOthersEnded(caller);
    const report = this.#stopReport(undelivered());
    if (caller !== undefined) return report;
    const { name } = agent;
    const row = { kind: 'turn', name, agent: name, outcome: 'caller', ms: report.settledMs } as const;
    return { ...report, operations: [...report.operations, row] };
  }

  #stopReport(undelivered: readonly Message[]): StopReport {
    const now = this.clock.now();
    const said = { turnId: this.id, callbackErrors: this.#callbackErrors ?? [], undelivered };
    const { reason } = this.token;
    const { requestedAt = now, acknowledgedAt = now } = this.stop ?? {};
    const own = this.stop === undefined ? [] : this.operations.list();
    // What was given up earlier still runs, and was told already.
    const all = new Set([...own, ...this.agent.stillRunning.list()]);
    const operations = rowsOf(all, requestedAt, now);
    return stopReport({ ...said, reason, requestedAt, acknowledgedMs: acknowledgedAt - requestedAt, operations }, now);
  }
}
