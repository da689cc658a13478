/**
 * One agent's interrupts: accepts turns, runs them one at a time, and turns what a person does into what the pieces
 * feel.
 * In the interrupt room at the top; the only file that runs the effects of `machine.ts`.
 *
 * Invariants: exactly one terminal event per accepted turn; a cancel reaches the turns accepted before it and no later
 * one; a message is delivered once or given back.
 *
 * Prior art: the hand-made interrupt managers of coding agents, and the gaps they share.
 *
 * @module
 */
import type { Outcome } from '../combinators/settle.ts';
import { requireFunction, requireOneOf, show } from '../foundation/check.ts';
import { createReason, type CancelReason, type CancelReasonInit } from '../foundation/reason.ts';
import { tokenOf } from '../token/link.ts';
import type { Token } from '../token/source.ts';
import { AcceptedTurns } from './accepted.ts';
import { AgentView } from './agent-view.ts';
import { requireBudget, type TurnBudget } from './budget.ts';
import { TurnLine } from './turn-line.ts';
import type { InterruptController as ControllerHandle, Turn } from './handles.ts';
import type {
  CancelTarget,
  InterruptControllerOptions,
  RunTurnOptions,
  StopReceipt,
  SubagentOptions,
  TurnReport,
  TurnTicket,
} from './turn-report.ts';
import { Inbox } from './inbox.ts';
import { LeftBehind } from './left-behind.ts';
import { requireDelivery, type Delivery, type Interjection, type Message } from './interjections.ts';
import type { Operation, StopReport } from './report.ts';
import { stopTarget, stopTurns, type StopDesk, type StopKind } from './stops.ts';
import { SubagentLink, busyIn, findCallOf, workingFor, type Family } from './subagents.ts';
import { TurnRun } from './turn-run.ts';
import type { OpenCall, TurnHost, TurnState } from './turn-state.ts';

/** The implementation; the documentation of every member stands at its interface. */
export class Controller extends AgentView implements ControllerHandle, TurnHost, Family, StopDesk {
  readonly accepted: AcceptedTurns = new AcceptedTurns();
  readonly earlyReports: WeakMap<CancelReason, StopReport> = new WeakMap();
  readonly working: Set<Family> = new Set();
  readonly #inbox: Inbox;
  readonly #line = new TurnLine();
  readonly #leftBehind = new LeftBehind();
  #current: TurnRun | undefined;
  #lastReport: StopReport | undefined;
  #closed = false;

  constructor(options: InterruptControllerOptions = {}, link?: SubagentLink) {
    super(options, link);
    const { undelivered = 'return' } = options;
    const policy = requireOneOf('undelivered', undelivered, ['return', 'keep', 'drop']);
    this.#inbox = new Inbox(this, policy);
  }

  get lastReport(): StopReport | undefined {
    return this.#lastReport;
  }

  get current(): TurnRun | undefined {
    return this.#current;
  }

  accept(): TurnTicket {
    if (this.#closed) throw new TypeError(`the controller ${show(this.name)} is closed`);
    const ticket = this.accepted.accept();
    this.emit({ type: 'turn-accepted', turnId: ticket.id });
    return ticket;
  }

  async runTurn<T>(body: (turn: Turn) => T | PromiseLike<T>, options: RunTurnOptions = {}): Promise<TurnReport<T>> {
    requireFunction('body', body);
    const whenBusy = requireOneOf('whenBusy', options.whenBusy ?? 'reject', ['reject', 'queue', 'supersede']);
    const outside = tokenOf(options.token);
    const budget = options.budget === undefined ? undefined : requireBudget(options.budget);
    if ((this.#current !== undefined || this.#line.isWaiting) && whenBusy === 'reject') {
      throw new TypeError(`a turn of ${show(this.name)} is running; say whenBusy: 'queue' or 'supersede'`);
    }
    const superseded = this.reasonOf({ kind: 'superseded' });
    const ticket = options.ticket ?? this.accept();
    const waiting = whenBusy === 'supersede' ? this.accepted.supersede(superseded) : 0;
    for (let told = 0; told < waiting; told++) this.announce('cancel', superseded);
    this.accepted.claim(ticket);
    if (whenBusy === 'supersede' && this.#current !== undefined) this.stop(this.#current, 'cancel', superseded);
    return this.#line.add(() => this.#run(body, ticket, { outside, budget }));
  }

  async #run<T>(
    body: (turn: Turn) => T | PromiseLike<T>,
    ticket: TurnTicket,
    { outside, budget }: { readonly outside: Token; readonly budget: TurnBudget | undefined },
  ): Promise<TurnReport<T>> {
    const early = this.accepted.start(ticket);
    const above = this.link?.started(this);
    const parents = [this.token, outside, ...(above === undefined ? [] : [above.token])];
    const run = new TurnRun(ticket.id, this, parents, { above, budget });
    this.#current = run;
    this.apply('start');
    this.emit({ type: 'turn-started', turnId: ticket.id });
    this.#inbox.opened(run);
    if (early !== undefined) this.stop(run, 'cancel', early, 'told before');
    run.onStopFromAbove((kind, reason) => {
      this.stop(run, kind, reason);
    });
    const outcome = await run.run(body);
    return this.#end(run, outcome);
  }

  /** The one terminal state and event of a turn. */
  #end<T>(run: TurnRun, outcome: Outcome<T>): TurnReport<T> {
    this.apply('end');
    const report = run.end(outcome, this.#inbox.closed(run));
    const reason = run.token.reason;
    if (reason !== undefined) this.endCancelled(reason);
    if (report.stop !== undefined) this.#lastReport = report.stop;
    this.#current = undefined;
    if (run.hasLeftBehind) this.#leftBehind.add(run);
    this.emit({
      type: 'turn-ended',
      turnId: run.id,
      status: report.status,
      interrupted: reason !== undefined,
      ...(reason === undefined ? {} : { kind: reason.kind }),
    });
    this.link?.ended(this, run, report.status);
    this.#rest();
    return report;
  }

  /** What a stop says, with this agent's defaults. */
  reasonOf(init: CancelReasonInit | string | undefined): CancelReason {
    return createReason(init, { kind: 'user', source: this.name, at: this.clock.now() });
  }

  announce(kind: StopKind, reason: CancelReason): void {
    this.emit({ type: 'interrupt-requested', kind, reason });
  }

  /** Runs the machine's effects of a cancel or a kill; says it first, so that a person sees it at once. */
  stop(run: TurnRun, kind: StopKind, reason: CancelReason, told?: 'told before'): boolean {
    const effects = this.apply(kind);
    if (effects.length === 0) return false;
    const stop = run.noteStop(reason);
    this.note('cancel', stop.reason, stop.requestedAt);
    if (told === undefined) this.announce(kind, reason);
    for (const child of this.working) if (child.link?.worksFor(run)) this.#propagated(child, reason);
    for (const effect of effects) {
      if (effect === 'return-queued') this.#inbox.giveBack(run);
      if (effect === 'cancel-turn') run.source.cancel(reason);
      if (effect === 'kill-turn') run.source.kill(reason);
    }
    run.acknowledged();
    return true;
  }

  #propagated(child: Family, reason: CancelReason): void {
    this.emit({ type: 'interrupt-propagated', child: child.name, childId: child.events.instanceId, reason });
  }

  cancel(init?: CancelReasonInit | string, target?: CancelTarget): StopReceipt {
    return stopTarget(this, this.reasonOf(init), target);
  }

  kill(init?: CancelReasonInit | string): StopReceipt {
    const reason = this.reasonOf(init);
    const isNews = this.#leftBehind.kill(reason);
    const receipt = stopTurns(this, 'kill', reason);
    if (!isNews || receipt.accepted) return receipt;
    this.announce('kill', reason);
    return { ...receipt, accepted: true };
  }

  endLife(reason: CancelReason): { readonly won: boolean; readonly reports: Promise<readonly StopReport[]> } {
    const reports = Promise.all([...this.working].flatMap(busyIn).map(({ settled }) => settled));
    for (const child of this.working) if (child !== workingFor(this)) this.#propagated(child, reason);
    return { won: this.life.end(reason), reports };
  }

  interrupt(kind?: 'cancel', init?: CancelReasonInit | string): StopReceipt;
  interrupt(kind: 'interjection', message: unknown): Interjection;
  interrupt(kind: 'cancel' | 'interjection' = 'cancel', init?: unknown): StopReceipt | Interjection {
    requireOneOf('kind', kind, ['cancel', 'interjection']);
    return kind === 'cancel' ? this.cancel(init as CancelReasonInit | string | undefined) : this.interject(init);
  }

  interject(text: unknown, options: { readonly delivery?: Delivery | undefined } = {}): Interjection {
    const message = this.#inbox.create(text, requireDelivery(options.delivery));
    this.forward(message);
    return message;
  }

  /** The innermost working agent gets it. */
  forward(message: Message): void {
    const child = workingFor(this);
    const policy = child?.link?.onParentInterject;
    if (policy === 'stop') child?.cancel({ kind: 'interjection' });
    if (child !== undefined && policy === 'forward') child.forward(message);
    else this.#inbox.take(message);
  }

  delivered(turn: TurnState, messages: readonly Message[]): void {
    this.#inbox.delivered(turn, messages);
  }

  child(name: string, options?: SubagentOptions): ControllerHandle {
    return this.subagent(undefined, name, options);
  }

  endTurn({ id }: TurnState, reason: CancelReason): void {
    stopTurns(this, 'cancel', reason, id);
  }

  cancelFrom(turn: TurnState, init: CancelReasonInit | string | undefined, caller?: Operation): StopReceipt {
    const receipt = this.cancel(init, { turnId: turn.id });
    const run = this.#current;
    if (run !== turn) return receipt;
    return { ...receipt, settled: run.settledFor(caller, () => this.#inbox.returned(turn)) };
  }

  subagent(call: OpenCall | undefined, name: string, options: SubagentOptions | undefined): ControllerHandle {
    const link = new SubagentLink(this, call, options);
    return new Controller({ name, graceMs: this.graceMs, clock: this.clock }, link);
  }

  enter(child: Family): void {
    this.working.add(child);
    this.link?.parent.enter(this);
  }

  leave(child: Family): void {
    this.working.delete(child);
    this.#rest();
  }

  #rest(): void {
    if (!this.isBusy) this.link?.parent.leave(this);
  }

  findCall(callId: string): { readonly call: OpenCall; readonly turnId: number } | undefined {
    return findCallOf(this, callId);
  }

  /** No turn is accepted from here on; what was accepted goes on. */
  refuseTurns(): void {
    this.#closed = true;
  }

  /** Whether anything runs, here or below. */
  get isBusy(): boolean {
    return this.#current !== undefined || this.working.size > 0;
  }

  async whenEmpty(): Promise<void> {
    do {
      await Promise.all([this.#line.whenEmpty(), ...[...this.working].map((child) => child.whenEmpty())]);
    } while (this.isBusy);
  }

  async close(init: CancelReasonInit | string = { kind: 'shutdown' }): Promise<StopReport> {
    const reason = this.reasonOf(init);
    this.#closed = true;
    this.life.close();
    const [report] = await Promise.all([this.cancel(reason, 'all').settled, this.whenEmpty()]);
    this.#inbox.close();
    for (const { id } of this.accepted.drain()) {
      this.emit({ type: 'turn-ended', turnId: id, status: 'cancelled', interrupted: true, kind: reason.kind });
    }
    return report;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
