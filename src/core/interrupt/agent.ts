/**
 * One agent: accepts turns, runs them one at a time, and turns what a person does into what its work feels. The only file
 * that runs the effects of `machine.ts`.
 *
 * Invariants: exactly one terminal event per accepted turn, and nothing of the turn after it; a cancel reaches the turns
 * accepted before it and no later one; a message is delivered once, given back, or withdrawn.
 *
 * Prior art: the hand-made interrupt managers of coding agents, and the gaps they share.
 *
 * @module
 */
import { DEFAULT_GRACE_MS } from '../combinators/engine/grace.ts';
import type { Outcome } from '../combinators/outcome.ts';
import { optionalText, requireFunction, requireMs, requireOneOf, show } from '../foundation/check.ts';
import type { Clock } from '../foundation/clock.ts';
import type { CancelReason, CancelReasonLike } from '../foundation/reason.ts';
import { never, tokenOf } from '../token/bridge/linked-tokens.ts';
import type { Source } from '../token/source.ts';
import type { Token } from '../token/token.ts';
import { clockOf, reportCallbackError } from '../token/tree/environment.ts';
import { BackgroundWork } from './agents/background.ts';
import { EventHub } from './agents/event-hub.ts';
import { LateOutcomes } from './agents/late-outcomes.ts';
import { Lifetime } from './agents/lifetime.ts';
import { StillRunning } from './agents/still-running.ts';
import { stopTurns, type StopKind } from './agents/stops.ts';
import { openCallOf, workingFor, type SubagentLink } from './agents/subagents.ts';
import { readCancelArgument } from './agents/cancel-argument.ts';
import type { InterruptController } from './controller.ts';
import type { Operation } from './calls/operation-list.ts';
import type { ToolCall } from './calls/tool-call.ts';
import { AgentMessages } from './messages/agent-messages.ts';
import { requireDelivery, type Message } from './messages/message.ts';
import { AgentStatus } from './status.ts';
import { UnstartedTurns } from './turn/unstarted-turns.ts';
import { requireBudget, type TurnBudget } from './turn/budget.ts';
import { SerialQueue } from './turn/serial-queue.ts';
import { TurnRun } from './turn/turn-run.ts';
import type { Turn } from './turn/turn.ts';
import type {
  InterruptControllerOptions,
  RunTurnOptions,
  SubagentOptions,
  TurnTicket,
} from './public-types/agent-options.ts';
import type { InterruptEventBody } from './public-types/events.ts';
import type { Delivery } from './public-types/messages.ts';
import type { StopReceipt, StopReport } from './public-types/stop-report.ts';
import type { TurnReport } from './public-types/turn-report.ts';

/** What a turn that starts was given. */
interface TurnStart {
  readonly outside: Token;
  readonly budget: TurnBudget | undefined;
}

/** Who has heard of a stop: every listener, or those of the agents above. */
type Heard = 'announced' | 'from above';

/** Makes a sub-agent beside the turns of an agent, or on one of its calls. */
export type CreateSubagent = (
  parent: Agent,
  call: ToolCall<unknown, unknown> | undefined,
  name: string,
  options: SubagentOptions | undefined,
) => InterruptController<unknown>;

/** An agent and its parts. */
export class Agent {
  readonly name: string;
  readonly graceMs: number;
  readonly clock: Clock;
  readonly link: SubagentLink | undefined;
  readonly status: AgentStatus = new AgentStatus();
  readonly events: EventHub;
  readonly lifetime: Lifetime;
  readonly accepted: UnstartedTurns;
  readonly messages: AgentMessages;
  readonly stillRunning: StillRunning;
  #earlyReports: WeakMap<CancelReason, StopReport> | undefined;
  /** The sub-agents that work, or have somebody working below them, the latest last. */
  readonly working: Set<Agent> = new Set();
  /** The sub-agents that have background work, or somebody below them has. */
  readonly busyBeside: Set<Agent> = new Set();
  readonly #outside: Token;
  readonly #queue = new SerialQueue();
  #background: BackgroundWork | undefined;
  #lateOutcomes: LateOutcomes | undefined;
  #current: TurnRun | undefined;
  #lastReport: StopReport | undefined;
  #isClosed = false;
  /** What was announced, here or below, and as what. */
  #announced: WeakMap<CancelReason, StopKind> | undefined;

  /** Makes the controller of a sub-agent: what people hold is made elsewhere. */
  readonly #createSubagent: CreateSubagent;

  constructor(options: InterruptControllerOptions, link: SubagentLink | undefined, createSubagent: CreateSubagent) {
    const { graceMs = DEFAULT_GRACE_MS, clock, undelivered = 'return' } = options;
    const name = optionalText('name', options.name) ?? 'agent';
    const outside = tokenOf(options.token);
    this.name = name;
    this.graceMs = requireMs('graceMs', graceMs, 'infinity-allowed');
    this.clock = clock ?? clockOf(outside);
    this.link = link;
    this.#createSubagent = createSubagent;
    this.#outside = outside;
    this.lifetime = new Lifetime(() => link?.above ?? outside, {
      name,
      clock: this.clock,
      onCallbackError: (error) => {
        const run = this.#current;
        if (run === undefined) this.report(error);
        else run.callbackThrew(error);
      },
    });
    this.stillRunning = new StillRunning(link?.parent.stillRunning, link?.isAttached === false);
    this.events = new EventHub(name, link?.parent.events, this.clock, (error) => {
      if (this.#current?.isStopping === true) this.#current.callbackThrew(error);
      else this.report(error);
    });
    this.messages = new AgentMessages(this, requireOneOf('undelivered', undelivered, ['return', 'keep', 'drop']));
    this.accepted = new UnstartedTurns(
      this.clock,
      (turnId, reason) => this.cancelTurn(turnId, reason),
      () => this.lifetime.token.reason ?? link?.stopReason,
    );
  }

  get lastReport(): StopReport | undefined {
    return this.#lastReport;
  }

  /** The running turn. */
  get current(): TurnRun | undefined {
    return this.#current;
  }

  get background(): BackgroundWork {
    return (this.#background ??= new BackgroundWork(this));
  }

  get lateOutcomes(): LateOutcomes {
    return (this.#lateOutcomes ??= new LateOutcomes(this.clock));
  }

  /** The nearest agent upwards, this one included, that does not end with a call: background work belongs to it. */
  get outliving(): Agent {
    const { link } = this;
    return link?.call === undefined ? this : link.parent.outliving;
  }

  /** The reports of stops that came before their turn. */
  get earlyReports(): WeakMap<CancelReason, StopReport> {
    return (this.#earlyReports ??= new WeakMap());
  }

  /** Misuse, and what a listener threw while no turn could tell it in its report. */
  report(error: unknown): void {
    reportCallbackError(this.link?.parent.lifetime.token ?? this.#outside, error);
  }

  emit(event: InterruptEventBody): void {
    this.events.emit(event);
  }

  accept(): TurnTicket {
    if (this.#isClosed) throw new TypeError(`the controller ${show(this.name)} is closed`);
    const ticket = this.accepted.accept();
    this.emit({ type: 'turn-accepted', turnId: ticket.id });
    return ticket;
  }

  runTurn<T>(body: (turn: Turn) => T | PromiseLike<T>, options: RunTurnOptions = {}): Promise<TurnReport<T>> {
    try {
      return this.#enqueue(body, options);
    } catch (error) {
      // Misuse, told like everything else that goes wrong with a promise.
      return new Promise((_resolve, reject) => {
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as it was thrown
        reject(error);
      });
    }
  }

  #enqueue<T>(body: (turn: Turn) => T | PromiseLike<T>, options: RunTurnOptions): Promise<TurnReport<T>> {
    requireFunction('body', body);
    const whenBusy = requireOneOf('whenBusy', options.whenBusy ?? 'reject', ['reject', 'queue', 'supersede']);
    const outside = tokenOf(options.token);
    const budget = options.budget === undefined ? undefined : requireBudget(options.budget);
    if ((this.#current !== undefined || this.#queue.isWaiting) && whenBusy === 'reject') {
      throw new TypeError(`a turn of ${show(this.name)} is running; say whenBusy: 'queue' or 'supersede'`);
    }
    const ticket = options.ticket ?? this.accept();
    if (whenBusy === 'supersede') this.#supersede(ticket, outside);
    else this.accepted.claim(ticket, outside);
    return this.#queue.add(() => this.#run(body, ticket, { outside, budget }));
  }

  /** Cancels what waits in line and what runs, for the turn of this ticket. */
  #supersede(ticket: TurnTicket, outside: Token): void {
    const superseded = this.reasonOf({ kind: 'superseded' });
    const waiting = this.accepted.supersede(superseded);
    for (let told = 0; told < waiting; told++) this.announce('cancel', superseded);
    this.accepted.claim(ticket, outside);
    if (this.#current !== undefined) this.stop(this.#current, 'cancel', superseded);
  }

  async #run<T>(
    body: (turn: Turn) => T | PromiseLike<T>,
    ticket: TurnTicket,
    { outside, budget }: TurnStart,
  ): Promise<TurnReport<T>> {
    const run = this.#start(ticket, outside, budget);
    const outcome = await run.runBody(body);
    // Nothing to wait for is the rule, and costs nothing. Something may begin before this goes on.
    for (let rest = run.bodyEnded(outcome); rest !== undefined; rest = run.rest()) await rest;
    return this.#end(run, outcome);
  }

  #start(ticket: TurnTicket, outside: Token, budget: TurnBudget | undefined): TurnRun {
    const above = this.link?.started(this);
    const own = this.accepted.start(ticket);
    // One that is being announced above: its tokens are told next.
    const early = own ?? (above?.token.isCancelled === false ? above.stopReason : undefined);
    // What was cancelled early hangs on nothing: a stop of what is above came second, and its body never runs.
    const parents: Token[] = [];
    // A sub-agent on a call hangs on the turn through its lifetime already. What stopped the turn came before the agent's.
    if (early === undefined && above !== undefined && this.link?.call === undefined) parents.push(above.token);
    if (early === undefined) parents.push(this.lifetime.token);
    if (early === undefined && outside !== never) parents.push(outside);
    const run = new TurnRun(ticket.id, this, { parents, above, budget });
    this.#current = run;
    this.status.apply('start');
    // Before anybody hears of the start: a listener may hand over what was typed ahead.
    this.messages.opened(run);
    // A listener of the start that stops the turn comes second.
    if (early !== undefined) {
      run.stoppedBy = early;
      this.stop(run, 'cancel', early, own === undefined ? 'from above' : 'announced');
    }
    // Of several tokens that listeners of the start cancel, only who listens knows the first. What had been cancelled before
    // is told after the start.
    const isBornStopped = run.token.isCancelled;
    if (!isBornStopped) this.#hearStops(run);
    this.emit({ type: 'turn-started', turnId: ticket.id });
    this.messages.takeKept();
    if (isBornStopped) this.#hearStops(run);
    return run;
  }

  #hearStops(run: TurnRun): void {
    run.onStopFromAbove((kind, reason) => {
      this.stop(run, kind, reason, this.#hearersOf(kind, reason));
    });
  }

  /** Who has heard of a stop that no call of this agent's controller made: a token that ends several turns is announced once. */
  #hearersOf(kind: StopKind, reason: CancelReason, above?: CancelReason): Heard | undefined {
    if (kind === 'cancel' && this.#announced?.has(reason) === true) return 'announced';
    return reason === above || this.#isToldAbove(kind, reason) ? 'from above' : undefined;
  }

  /** Whether the listeners above have heard of this stop, or are about to hear of it from a turn that runs there. */
  #isToldAbove(kind: StopKind, reason: CancelReason): boolean {
    for (let above = this.link?.parent; above !== undefined; above = above.link?.parent) {
      const token = above.#current?.token;
      if (above.#hasAnnounced(kind, reason) || token?.reason === reason) return true;
      // A kill keeps the reason of each cancel that it finds.
      if (kind === 'kill' && (token?.isKilled === true || above.lifetime.token.isKilled)) return true;
    }
    return false;
  }

  /** The one terminal state and event of a turn. */
  #end<T>(run: TurnRun, outcome: Outcome<T>): TurnReport<T> {
    this.status.apply('end');
    // What a message that is given back now does to others is no stop of this turn.
    run.seal();
    const report = run.end(outcome, this.messages.closed(run));
    const reason = run.stoppedBy;
    if (reason !== undefined && reason.kind !== 'interjection') this.status.endCancelled(reason);
    if (report.stop !== undefined) this.#lastReport = report.stop;
    this.#current = undefined;
    this.emit({
      type: 'turn-ended',
      turnId: run.id,
      status: report.status,
      interrupted: reason !== undefined,
      ...(reason === undefined ? {} : { reason, kind: reason.kind }),
      ms: this.clock.now() - run.startedAt,
    });
    this.link?.ended(this, run, reason, report.status);
    this.#rest();
    return report;
  }

  /** The reason of a stop, with this agent's defaults; what makes no sense is reported, and stops all the same. */
  reasonOf(
    input: CancelReasonLike | undefined,
    kind: CancelReason['kind'] = this.link === undefined ? 'user' : 'unknown',
  ): CancelReason {
    return readCancelArgument(input, { kind, source: this.name, at: this.clock.now() }, (error) => {
      this.report(error);
    });
  }

  #noteAnnounced(kind: StopKind, reason: CancelReason): void {
    (this.#announced ??= new WeakMap()).set(reason, kind);
    if (this.link !== undefined) this.link.parent.#noteAnnounced(kind, reason);
  }

  #hasAnnounced(kind: StopKind, reason: CancelReason): boolean {
    const said = this.#announced?.get(reason);
    return said === 'kill' || said === kind;
  }

  /** The token of all work was cancelled: says so, unless every listener has heard or is about to hear of it. */
  lifetimeEnded(reason: CancelReason): void {
    if (!this.#hasAnnounced('cancel', reason) && !this.#isToldAbove('cancel', reason)) this.announce('cancel', reason);
  }

  announce(kind: StopKind, reason: CancelReason): void {
    // Whoever listens above has heard of it, too.
    this.#noteAnnounced(kind, reason);
    this.emit({ type: 'interrupt-requested', kind, reason });
  }

  /**
   * Runs the machine's effects of a cancel or a kill; says it first, so that a person sees it at once.
   *
   * @param told `announced`: every listener has heard of this stop. `from above`: those of the agents above have.
   * @returns Whether the listeners have heard of this very stop: the running turn may have been about to hear of another.
   */
  stop(run: TurnRun, kind: StopKind, asked: CancelReason, told?: Heard): boolean {
    // The first reason counts, also one from above that this turn is about to hear of.
    const above = run.stoppedBy === undefined ? run.stoppedAbove : undefined;
    const marked = above ?? (run.stoppedBy === undefined ? run.markedBy : undefined);
    // A kill comes after it.
    if (kind === 'kill' && marked !== undefined && marked !== asked) {
      this.stop(run, 'cancel', marked);
      return run.stoppedBy !== undefined && this.stop(run, kind, asked, told);
    }
    const effects = this.status.apply(kind);
    if (effects.length === 0) return false;
    const reason = marked ?? asked;
    const first = (run.stoppedBy ??= reason);
    for (const child of this.working) if (child.link?.run === run) child.willEndBy(first);
    const stop = run.noteStop(first);
    this.status.note('cancel', first, stop.requestedAt);
    // What is known of the stop that was asked for says nothing of one that came before it.
    const isKnown = marked === undefined || (marked === asked && told !== undefined);
    const heard = isKnown ? told : this.#hearersOf(kind, marked, above);
    if (heard === undefined) this.announce(kind, reason);
    else if (heard === 'from above') this.events.emitHere({ type: 'interrupt-requested', kind, reason });
    for (const child of this.working) if (child.link?.run === run) this.#propagated(child, first);
    run.sayStopping();
    for (const effect of effects) {
      if (effect === 'return-queued') this.messages.giveBack(run);
      if (effect === 'cancel-turn') run.source.cancel(first);
      if (effect === 'kill-turn') run.source.kill(first);
    }
    run.acknowledged();
    return reason === asked;
  }

  #propagated(child: Agent, reason: CancelReason): void {
    this.emit({ type: 'interrupt-propagated', child: child.name, childId: child.events.instanceId, reason });
  }

  /** A stop above concerns the running turn, and those that are part of it. */
  willEndBy(reason: CancelReason): void {
    const run = this.#current;
    if (run === undefined) return;
    run.willEndBy(reason);
    for (const child of this.working) if (child.link?.run === run) child.willEndBy(reason);
  }

  /** Whether a stop of this kind would be news to its running turn. */
  isNews(kind: StopKind): boolean {
    if (this.#current === undefined) return false;
    return kind === 'kill' ? this.status.state !== 'killing' : this.#current.stoppedBy === undefined;
  }

  /** The attached sub-agents that work although no turn of this agent waits for them. */
  get workingBeside(): readonly Agent[] {
    return [...this.working].filter(
      ({ link }) => link?.isAttached === true && link.run === undefined && link.call === undefined,
    );
  }

  /** A stop of the agent above, which has no turn that this one is part of. */
  stopFromAbove(kind: StopKind, reason: CancelReason): StopReceipt {
    if (this.link !== undefined) this.link.parent.#propagated(this, reason);
    const run = this.#current;
    if (run !== undefined) this.stop(run, kind, reason, 'from above');
    return stopTurns(this, kind, reason);
  }

  cancelTurn(turnId: number, input: CancelReasonLike | undefined): StopReceipt {
    return stopTurns(this, 'cancel', this.reasonOf(input), turnId);
  }

  /** The turn's budget is used up, and nothing of it runs any more. */
  endTurn({ id }: TurnRun, reason: CancelReason): void {
    stopTurns(this, 'cancel', reason, id);
  }

  /** A stop of the turn by one of its operations, or by its body: the report waits for everybody else. */
  cancelFrom(turn: TurnRun, input: CancelReasonLike | undefined, caller?: Operation): StopReceipt {
    const receipt = stopTurns(this, 'cancel', this.reasonOf(input, 'unknown'), turn.id);
    if (this.#current !== turn) return receipt;
    return { ...receipt, settled: turn.settledFor(caller, () => this.messages.returned(turn)) };
  }

  /** A model call ran into its own limit, and is made again or not. */
  timedOut(run: TurnRun, reason: CancelReason, canContinueAfterTimeout: boolean): void {
    this.status.timedOut(reason, canContinueAfterTimeout);
    this.emit({ type: 'model-timed-out', turnId: run.id, reason, canContinueAfterTimeout });
  }

  interject(text: unknown, options: { readonly delivery?: Delivery | undefined } = {}): Message {
    if (typeof (options as unknown) !== 'object' || (options as unknown) === null) {
      throw new TypeError(`options must be an object such as { delivery: 'now' }, got ${show(options)}`);
    }
    const message = this.messages.create(text, requireDelivery(options.delivery));
    this.forward(message);
    return message;
  }

  /** The innermost working agent gets it. */
  forward(message: Message): void {
    const child = workingFor(this);
    const policy = child?.link?.onParentInterject;
    if (child !== undefined && policy === 'stop') stopTurns(child, 'cancel', child.reasonOf({ kind: 'interjection' }));
    if (child !== undefined && policy === 'forward') child.forward(message);
    else this.messages.take(message);
  }

  /** Sends a running call to the background of the nearest agent that outlives it. */
  sendToBackground(callId: string): boolean {
    const found = openCallOf(this, callId);
    if (found?.call.canDetach !== true) return false;
    const { call, run } = found;
    for (const child of run.agent.working) if (child.link?.call === call) child.detachFromTurn();
    run.agent.outliving.background.adopt(call, () => {
      run.agent.emit({ type: 'call-detached', turnId: run.id, callId, name: call.name });
    });
    return true;
  }

  /** The call that this sub-agent works on goes on in the background. */
  detachFromTurn(): void {
    this.link?.detach();
    this.#current?.detach();
  }

  /** Stops whatever hung on a lifetime, and the turns given; resolves with the reports of those turns. */
  endLifetime(
    ended: Source,
    kind: StopKind,
    reason: CancelReason,
    runs: readonly TurnRun[],
  ): { readonly won: boolean; readonly reports: Promise<readonly StopReport[]> } {
    for (const child of this.working) if (child !== workingFor(this)) this.#propagated(child, reason);
    let won = false;
    // By name, and first: one of a detached agent further down hangs on another lifetime, or on one that was stopped
    // before, and a kill that it heard of by its token alone would keep the reason of that stop.
    for (const run of runs)
      if (!run.isOver && run.agent.isNews(kind)) won = run.agent.stop(run, kind, reason, 'from above') || won;
    won = (kind === 'kill' ? ended.kill(reason) : ended.cancel(reason)) || won;
    const reports = Promise.all(runs.filter(({ isStopping }) => isStopping).map(({ settled }) => settled));
    ended.release();
    return { won, reports };
  }

  /** A sub-agent, on a call or beside the turns. */
  subagent(
    call: ToolCall<unknown, unknown> | undefined,
    name: string,
    options: SubagentOptions | undefined,
  ): InterruptController<unknown> {
    return this.#createSubagent(this, call, name, options);
  }

  /** Background work has begun or ended, here or below: the agents above wait for it. */
  backgroundChanged(): void {
    const parent = this.link?.parent;
    if (parent === undefined) return;
    const isBusy = (this.#background?.list().length ?? 0) > 0 || this.busyBeside.size > 0;
    if (isBusy) parent.busyBeside.add(this);
    else parent.busyBeside.delete(this);
    parent.backgroundChanged();
  }

  enter(child: Agent): void {
    this.working.add(child);
    this.link?.parent.enter(this);
  }

  leave(child: Agent): void {
    this.working.delete(child);
    this.#rest();
  }

  #rest(): void {
    if (!this.isBusy) this.link?.parent.leave(this);
  }

  /** No turn is accepted from here on; what was accepted goes on. */
  refuseTurns(): void {
    this.#isClosed = true;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether anything runs, here or below. */
  get isBusy(): boolean {
    return this.#current !== undefined || this.working.size > 0;
  }

  async whenEmpty(): Promise<void> {
    do {
      const background = this.#background?.list() ?? [];
      await Promise.all([
        this.#queue.whenEmpty(),
        ...[...this.working, ...this.busyBeside].map((child) => child.whenEmpty()),
        ...background.map(({ whenEnded }) => whenEnded),
      ]);
    } while (this.isBusy || this.busyBeside.size > 0);
  }

  /** Gives up on the accepted turns that nobody will start any more. */
  drainAccepted(reason: CancelReason): void {
    for (const { id, cancelled = reason } of this.accepted.drain()) {
      const { kind } = cancelled;
      const ended = { status: 'cancelled', interrupted: true, reason: cancelled, kind, ms: 0 } as const;
      this.emit({ type: 'turn-ended', turnId: id, ...ended });
    }
  }
}
