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
import { requireFunction, requireMs, requireOneOf, show } from '../foundation/check.ts';
import type { Clock } from '../foundation/clock.ts';
import { createReason, type CancelReason, type CancelReasonInit } from '../foundation/reason.ts';
import { clockOf } from '../token/environment.ts';
import type { CancellationToken, Registration } from '../token/handles.ts';
import { tokenOf } from '../token/link.ts';
import { Source, childOf, type Token } from '../token/source.ts';
import { AcceptedTurns } from './accepted.ts';
import { TurnLine } from './turn-line.ts';
import { EventHub } from './event-hub.ts';
import type { InterruptEvent, InterruptEventBody } from './events.ts';
import type { InterruptController as ControllerHandle, Turn } from './handles.ts';
import type {
  CancelTarget,
  InterruptControllerOptions,
  Interruption,
  RunTurnOptions,
  StopReceipt,
  SubagentOptions,
  TurnReport,
  TurnTicket,
} from './turn-report.ts';
import { Inbox } from './inbox.ts';
import { requireDelivery, type Delivery, type Interjection, type Message } from './interjections.ts';
import type { InterruptState } from './machine.ts';
import type { StopReport } from './report.ts';
import { InterruptStatus } from './status.ts';
import { nothingToStop, stopTarget, type StopDesk } from './stops.ts';
import { SubagentLink, type Family } from './subagents.ts';
import { TurnRun } from './turn-run.ts';
import type { RunningCall, TurnHost } from './turn-state.ts';

/** The implementation; the documentation of every member stands at its interface. */
export class Controller implements ControllerHandle, TurnHost, Family, StopDesk {
  readonly name: string;
  readonly graceMs: number;
  readonly clock: Clock;
  readonly link: SubagentLink | undefined;
  readonly events: EventHub;
  readonly accepted: AcceptedTurns = new AcceptedTurns();
  readonly #inbox: Inbox;
  readonly #above: Token;
  readonly #status = new InterruptStatus();
  /** The sub-agents that have a turn running, the latest last. */
  readonly working: Set<Family> = new Set();
  #life: Source;
  #current: TurnRun | undefined;
  #lastReport: StopReport | undefined;
  readonly #line = new TurnLine();
  #closed = false;

  constructor(options: InterruptControllerOptions = {}, link?: SubagentLink) {
    const { name = 'agent', undelivered = 'return', graceMs = 1000, clock } = options;
    if (typeof name !== 'string') throw new TypeError(`name must be a string, got ${show(name)}`);
    this.name = name;
    this.graceMs = requireMs('graceMs', graceMs, 'infinity-allowed');
    const policy = requireOneOf('undelivered', undelivered, ['return', 'keep', 'drop']);
    this.#above = tokenOf(options.token);
    this.clock = clock ?? clockOf(this.#above);
    this.#life = this.#newLife();
    this.link = link;
    this.events = new EventHub(name, link?.parent.events, this.clock, this.#life.token);
    this.#inbox = new Inbox(this.#status, this.events, this.clock, policy);
  }

  #newLife(): Source {
    return new Source(childOf(this.#above), { name: this.name, clock: this.clock });
  }

  get instanceId(): string {
    return this.events.instanceId;
  }

  get state(): InterruptState {
    return this.#status.state;
  }

  get interrupted(): boolean {
    return this.#status.interruption !== undefined;
  }

  get interruption(): Interruption | undefined {
    return this.#status.interruption;
  }

  get wasInterrupted(): boolean {
    return this.#status.untold !== undefined;
  }

  get token(): CancellationToken {
    return this.#life.token;
  }

  get lastReport(): StopReport | undefined {
    return this.#lastReport;
  }

  get current(): TurnRun | undefined {
    return this.#current;
  }

  consumeWasInterrupted(): CancelReason | undefined {
    return this.#status.consume();
  }

  onEvent(fn: (event: InterruptEvent) => void): Registration {
    return this.events.on(fn);
  }

  emit(event: InterruptEventBody): void {
    this.events.emit(event);
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
    if (options.ticket !== undefined) this.accepted.require(options.ticket);
    if ((this.#current !== undefined || this.#line.isWaiting) && whenBusy === 'reject') {
      throw new TypeError(`a turn of ${show(this.name)} is running; say whenBusy: 'queue' or 'supersede'`);
    }
    const ticket = options.ticket ?? this.accept();
    if (whenBusy === 'supersede' && this.#current !== undefined) {
      this.stop(this.#current, this.#reason({ kind: 'superseded' }));
    }
    const turn = this.#line.add(() => this.#run(body, ticket, outside));
    return turn;
  }

  async #run<T>(body: (turn: Turn) => T | PromiseLike<T>, ticket: TurnTicket, outside: Token): Promise<TurnReport<T>> {
    const early = this.accepted.use(ticket);
    const above = this.link?.parentRun;
    const parents = [this.#life.token, outside, ...(above === undefined ? [] : [above.state.token])];
    const run = new TurnRun(ticket.id, this, parents, above?.state.operations);
    this.#current = run;
    this.#status.apply('start');
    this.link?.parent.working.add(this);
    this.emit({ type: 'turn-started', turnId: ticket.id });
    this.#inbox.opened(run.state);
    if (early !== undefined) this.stop(run, early);
    run.onStopFromAbove((kind, reason) => {
      this.#stop(run, kind, reason);
    });
    const outcome = await run.run(body);
    return this.#end(run, outcome);
  }

  /** The one terminal state and event of a turn. */
  #end<T>(run: TurnRun, outcome: Outcome<T>): TurnReport<T> {
    this.#status.apply('end');
    const report = run.end(outcome, this.#inbox.closed(run.state));
    const reason = run.state.token.reason;
    if (reason !== undefined) this.#status.endCancelled(reason);
    if (report.stop !== undefined) this.#lastReport = report.stop;
    this.#current = undefined;
    this.emit({
      type: 'turn-ended',
      turnId: run.state.id,
      status: report.status,
      interrupted: reason !== undefined,
      ...(reason === undefined ? {} : { kind: reason.kind }),
    });
    this.link?.ended(this, run, report.status);
    return report;
  }

  #reason(init: CancelReasonInit | string | undefined): CancelReason {
    return createReason(init, { kind: 'user', source: this.name, at: this.clock.now() });
  }

  /** Runs the machine's effects of a cancel or a kill; says it first, so that a person sees it at once. */
  #stop(run: TurnRun, kind: 'cancel' | 'kill', reason: CancelReason): void {
    const effects = this.#status.apply(kind);
    if (effects.length === 0) return;
    const stop = run.noteStop(reason);
    this.#status.note('cancel', stop.reason, stop.requestedAt);
    this.emit({ type: 'interrupt-requested', kind, reason });
    for (const child of this.working) {
      if (child.link?.isAttached !== true) continue;
      this.emit({ type: 'interrupt-propagated', child: child.name, childId: child.events.instanceId, reason });
    }
    for (const effect of effects) {
      if (effect === 'return-queued') this.#inbox.giveBack(run.state);
      if (effect === 'cancel-turn') run.state.source.cancel(reason);
      if (effect === 'kill-turn') run.state.source.kill(reason);
    }
    run.acknowledged();
  }

  stop(run: TurnRun, reason: CancelReason): void {
    this.#stop(run, 'cancel', reason);
  }

  cancel(init?: CancelReasonInit | string, target?: CancelTarget): StopReceipt {
    return stopTarget(this, this.#reason(init), target);
  }

  endLife(reason: CancelReason): { readonly won: boolean; readonly ended: Promise<unknown> } {
    const life = this.#life;
    const ended = Promise.all([...this.working].flatMap((child) => child.current?.settled ?? []));
    this.#life = this.#newLife();
    return { won: life.cancel(reason), ended };
  }

  kill(init?: CancelReasonInit | string): StopReceipt {
    const reason = this.#reason(init);
    const run = this.#current;
    if (run === undefined) return nothingToStop(this);
    this.#stop(run, 'kill', reason);
    return { accepted: true, turnId: run.state.id, settled: run.settled };
  }

  interrupt(kind?: 'cancel', init?: CancelReasonInit | string): StopReceipt;
  interrupt(kind: 'interjection', message: unknown): Interjection;
  interrupt(kind: 'cancel' | 'interjection' = 'cancel', init?: unknown): StopReceipt | Interjection {
    requireOneOf('kind', kind, ['cancel', 'interjection']);
    return kind === 'cancel' ? this.cancel(init as CancelReasonInit | string | undefined) : this.interject(init);
  }

  interject(message: unknown, options: { readonly delivery?: Delivery | undefined } = {}): Interjection {
    const delivery = requireDelivery(options.delivery);
    const child = [...this.working].reverse().find(({ link }) => link?.isAttached === true);
    if (child !== undefined) {
      const policy = child.link?.onParentInterject;
      if (policy === 'forward') return child.interject(message, { delivery });
      if (policy === 'stop') child.cancel({ kind: 'interjection' });
    }
    return this.#inbox.post(this.#current?.state, message, delivery);
  }

  delivered(messages: readonly Message[]): void {
    this.#inbox.delivered(messages);
  }

  child(name: string, options?: SubagentOptions): ControllerHandle {
    return this.#child(name, options, undefined);
  }

  subagent(call: RunningCall, name: string, options: SubagentOptions | undefined): ControllerHandle {
    return this.#child(name, options, call);
  }

  #child(name: string, options: SubagentOptions | undefined, call: RunningCall | undefined): ControllerHandle {
    const link = new SubagentLink(this, call, options);
    const token = call === undefined || !link.isAttached ? this.#life.token : call.source.token;
    return new Controller({ name, token, graceMs: this.graceMs, clock: this.clock }, link);
  }

  findCall(callId: string): { readonly call: RunningCall; readonly turnId: number } | undefined {
    const run = this.#current;
    for (const call of run?.state.running ?? []) if (call.id === callId) return { call, turnId: run?.state.id ?? 0 };
    for (const child of this.working) {
      const found = child.findCall(callId);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async close(init: CancelReasonInit | string = { kind: 'shutdown' }): Promise<StopReport> {
    this.#closed = true;
    const report = await this.cancel(init, 'all').settled;
    await this.#line.whenEmpty();
    this.#inbox.abandon();
    for (const { id } of this.accepted.drain()) {
      this.emit({ type: 'turn-ended', turnId: id, status: 'cancelled', interrupted: true, kind: 'shutdown' });
    }
    this.#life.release();
    return report;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
