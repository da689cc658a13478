/**
 * Runs a program on a clock that stands still, with real controllers, and tells the model what user code sees.
 *
 * @module
 */
import { getEventListeners } from 'node:events';

import {
  CancelledError,
  InterruptController,
  raceCancellation,
  type CancellationToken,
  type Interjection,
  type Releasable,
  type InterruptEvent,
  type StopReceipt,
  type StopReport,
  type ToolContext,
  type Turn,
  type TurnTicket,
} from '../../../src/index.ts';
import type { TimerOptions } from '../../../src/core/foundation/clock.ts';
import { deferred, type Deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { GRACE_MS, MachineModel, outliving, type AgentBook, type CallBook, type TurnBook, type Work } from './model.ts';
import type { CallPlan, Command, Program, Step, StopCommand, TurnPlan, WorkPlan } from './program.ts';

/** A controller and its page in the book. */
interface Agent {
  readonly book: AgentBook;
  readonly controller: InterruptController;
}

/** Counts its steps for the model. */
class StepClock extends VirtualClock {
  readonly #model: MachineModel;

  constructor(model: MachineModel) {
    super();
    this.#model = model;
  }

  override setTimer(fn: () => void, ms: number, options: TimerOptions): Releasable {
    const step = (): void => {
      this.#model.step += 1;
      fn();
    };
    return super.setTimer(step, ms, options);
  }
}

/** One program while it runs. */
export class MachineWorld {
  readonly model: MachineModel = new MachineModel(() => this.clock.now());
  readonly clock: StepClock = new StepClock(this.model);
  readonly #program: Program;
  readonly #root: Agent;
  readonly #agents = new Map<string, Agent>();
  readonly #outside = new AbortController();
  readonly #signals: AbortController[] = [];
  readonly #tickets: { readonly ticket: TurnTicket; readonly book: TurnBook }[] = [];
  readonly #unclaimed: TurnTicket[] = [];
  readonly #turns: { readonly turn: Turn; readonly book: TurnBook }[] = [];
  readonly #contexts: { readonly context: ToolContext; readonly call: CallBook }[] = [];
  readonly #waits: Deferred<string>[] = [];
  readonly #answers: (() => boolean)[] = [];
  readonly #messages: Interjection[] = [];
  readonly #settled: Promise<unknown>[] = [];
  readonly #counts = { event: 0, start: 0, onCancelled: 0 };
  #names = 0;
  #open = 0;
  #isClosed = false;
  #ownTimers = 0;
  /** Whether a stop is being announced. */
  #isTelling = false;

  constructor(program: Program) {
    this.#program = program;
    const { undelivered } = program;
    const controller = new InterruptController({
      name: 'root',
      clock: this.clock,
      graceMs: GRACE_MS,
      undelivered,
      token: this.#outside.signal,
    });
    this.#root = this.#keep(controller, {
      name: 'root',
      parent: undefined,
      call: undefined,
      isDetached: false,
      onChildInterrupted: undefined,
    });
    controller.onEvent((event) => {
      this.#hears(event);
    });
  }

  /** Runs the program to its end, and checks the laws of the end. */
  async run(): Promise<void> {
    const { acts, undelivered } = this.#program;
    for (const { when, commands } of acts) {
      if (!('at' in when)) continue;
      this.#ownTimers += 1;
      this.clock.setTimer(
        () => {
          this.#ownTimers -= 1;
          this.#obey(commands);
        },
        when.at,
        { ref: true },
      );
    }
    this.#prompt(0);
    await this.clock.advance(0);
    for (let step = 0; step < 5_000 && this.clock.nextAt !== undefined; step += 1) {
      const isOver = this.#open === 0 && this.#ownTimers === 0 && !this.model.works.some(({ isRunning }) => isRunning);
      this.model.law(!isOver, `${String(this.clock.pending)} timers are left`);
      await this.clock.advance(this.clock.nextAt - this.clock.now());
      if (this.clock.now() >= 1_000) for (const answer of this.#answers.splice(0)) answer();
    }
    for (let round = 0; round < 3 || (this.#open > 0 && round < 20); round += 1) {
      for (const answer of this.#answers.splice(0)) answer();
      await this.clock.advance(10_000);
    }
    this.model.law(this.#open === 0, `${String(this.#open)} turns have no report`);
    this.#isClosed = true;
    const shutdown = this.model.asks('shutdown');
    this.model.stopsAgent(this.#root.book, shutdown, { all: true });
    const closed = this.#root.controller.close({ kind: shutdown.kind, message: shutdown.message });
    await this.clock.advance(20_000);
    await this.clock.advance(0);
    for (const each of [closed, ...this.#settled]) {
      const isSettled = await Promise.race([each.then(() => true), this.clock.advance(0).then(() => false)]);
      this.model.law(isSettled, 'a receipt that never settles');
    }
    this.model.law(this.clock.pending === 0, `${String(this.clock.pending)} timers are left`);
    for (const { signal } of [this.#outside, ...this.#signals]) {
      const left = signal.aborted ? 0 : getEventListeners(signal, 'abort').length;
      this.model.law(left === 0, `${String(left)} listeners are left on a signal`);
    }
    this.model.closes(undelivered === 'return');
  }

  // What happens.

  #hears(event: InterruptEvent): void {
    const agent = this.#agents.get(event.agent);
    if (agent === undefined) throw new Error(`no agent ${event.agent}`);
    const id = 'turnId' in event ? event.turnId : undefined;
    if (event.type === 'turn-accepted') this.model.accepts(agent.book, event.turnId);
    this.model.hears(
      event,
      this.model.turns.find((turn) => turn.agent === agent.book && turn.id === id),
    );
    // A listener of one announcement may cause the next; a turn that ends may still stop the one above it.
    const { isAnnouncing } = this.model;
    const wasTelling = this.#isTelling;
    this.#isTelling ||=
      event.type === 'interrupt-propagated' || (event.type === 'interrupt-requested' && event.kind !== 'interjection');
    this.model.isAnnouncing ||= this.#isTelling || event.type === 'turn-ended';
    this.#inside('event');
    this.model.isAnnouncing = isAnnouncing;
    this.#isTelling = wasTelling;
  }

  #inside(place: 'event' | 'start' | 'onCancelled'): void {
    const nth = this.#counts[place]++;
    for (const { when, commands } of this.#program.acts)
      if ('inside' in when && when.inside === place && when.nth === nth) this.#obey(commands);
  }

  #obey(commands: readonly Command[]): void {
    for (const command of commands) this.#do(command);
  }

  #do(command: Command): void {
    const { n, delivery } = command;
    const { model } = this;
    const agent = chosen([...this.#agents.values()], n) ?? this.#root;
    if (this.#isClosed) return;
    switch (command.do) {
      case 'prompt':
        this.#prompt(n);
        return;
      case 'prompt with a signal': {
        const controller = new AbortController();
        this.#signals.push(controller);
        this.#prompt(n, controller);
        return;
      }
      case 'prompt a child': {
        const book = this.#agentBook(this.#root.book, undefined, n % 2 === 1, undefined);
        const child = this.#keep(this.#root.controller.child(book.name, { detached: book.isDetached }), book);
        void this.#runTurn(child, chosen(this.#program.turns, n));
        return;
      }
      case 'accept':
        this.#unclaimed.push(this.#accept(this.#root));
        return;
      case 'run what was accepted': {
        const ticket = this.#unclaimed.shift();
        if (ticket !== undefined) void this.#runTurn(this.#root, chosen(this.#program.turns, n), ticket);
        return;
      }
      case 'say': {
        const message = agent.controller.interject(String(this.#messages.length), { delivery });
        this.#messages.push(message);
        model.sends(message);
        if (delivery === 'now') model.cuts(model.works, this.clock.now());
        if (
          message.status === 'undelivered' &&
          !model.turns.some((turn) => turn.agent === agent.book && turn.status === 'running')
        )
          model.withdraws(message, true);
        return;
      }
      case 'withdraw': {
        const message = chosen(this.#messages, n);
        if (message !== undefined) model.withdraws(message, message.withdraw());
        return;
      }
      case 'answer':
        chosen(this.#answers, n)?.();
        return;
      case 'finish':
        chosen(this.#waits, n)?.resolve('done');
        return;
      case 'send to background': {
        const call = chosen(model.calls, n);
        if (call !== undefined) agent.controller.sendToBackground(call.id);
        return;
      }
      default:
        this.#stop(command.do, command, agent);
    }
  }

  #stop(how: StopCommand, { n, kind }: Command, { book, controller }: Agent): void {
    const { model } = this;
    const stop = model.asks(kind);
    const reason = { kind: stop.kind, message: stop.message };
    switch (how) {
      case 'cancel':
      case 'kill':
        model.stopsAgent(book, stop, { isKill: how === 'kill' });
        this.#asked(controller[how](reason));
        return;
      case 'cancelAll':
      case 'kill all': {
        const isKill = how === 'kill all';
        model.stopsAgent(book, stop, { isKill, all: true });
        this.#asked(isKill ? controller.kill(reason, { all: true }) : controller.cancelAll(reason), (report) => {
          model.settlesAll(book, stop, report);
        });
        return;
      }
      case 'cancelCall': {
        const call = chosen(model.calls, n);
        if (call === undefined) return;
        model.stopsCall(call, stop);
        this.#asked(this.#root.controller.cancelCall(call.id, reason));
        return;
      }
      case 'ticket.cancel': {
        const chosenTicket = chosen(this.#tickets, n);
        if (chosenTicket === undefined) return;
        model.stopsTurn(chosenTicket.book, stop);
        this.#asked(chosenTicket.ticket.cancel(reason));
        return;
      }
      case 'turn.cancel': {
        const turn = chosen(this.#turns, n);
        if (turn === undefined) return;
        model.stopsTurn(turn.book, stop);
        this.#asked(turn.turn.cancel(reason));
        return;
      }
      case 'ctx.cancelTurn': {
        const found = chosen(this.#contexts, n);
        if (found === undefined) return;
        model.stopsTurn(found.call.turn, stop);
        this.#asked(found.context.cancelTurn(reason));
        return;
      }
      case 'abort the agent':
        model.aborts(this.#root.book, stop);
        this.#outside.abort(stop.message);
        return;
      case 'abort a turn': {
        const signal = chosen(this.#signals, n);
        const turn = model.turns.find(
          ({ agent, id }) => agent === this.#root.book && id === this.#signalTurns.get(signal),
        );
        if (signal === undefined || turn === undefined || signal.signal.aborted) return;
        model.abortsTurn(turn, stop);
        signal.abort(stop.message);
      }
    }
  }

  readonly #signalTurns = new Map<AbortController | undefined, number>();

  #asked({ settled }: StopReceipt, check: (report: StopReport) => void = () => undefined): void {
    this.#settled.push(
      settled.then((report) => {
        this.model.agrees(report);
        check(report);
      }),
    );
  }

  // Agents and turns.

  #agentBook(
    parent: AgentBook,
    call: CallBook | undefined,
    isDetached: boolean,
    onChildInterrupted: AgentBook['onChildInterrupted'],
  ): AgentBook {
    return { name: this.#name('agent'), parent, call: isDetached ? undefined : call, isDetached, onChildInterrupted };
  }

  #keep(controller: InterruptController, book: AgentBook): Agent {
    const agent = { book, controller };
    this.#agents.set(book.name, agent);
    return agent;
  }

  #name(what: string): string {
    return `${what}${String(++this.#names)}`;
  }

  #accept({ book, controller }: Agent): TurnTicket {
    const ticket = controller.accept();
    const turn = this.model.turns.find(({ agent, id }) => agent === book && id === ticket.id);
    if (turn !== undefined) this.#tickets.push({ ticket, book: turn });
    return ticket;
  }

  #prompt(n: number, signal?: AbortController): void {
    const ticket = this.#accept(this.#root);
    if (signal !== undefined) this.#signalTurns.set(signal, ticket.id);
    void this.#runTurn(this.#root, chosen(this.#program.turns, n), ticket, signal?.signal);
  }

  async #runTurn(agent: Agent, plan: TurnPlan | undefined, given?: TurnTicket, signal?: AbortSignal): Promise<string> {
    const ticket = given ?? this.#accept(agent);
    const book = this.#tickets.find((one) => one.ticket === ticket)?.book;
    if (book === undefined || plan === undefined) throw new Error('no such turn');
    this.#open += 1;
    const report = await agent.controller.runTurn((turn) => this.#body(turn, book, plan), {
      ticket,
      token: signal,
      whenBusy: 'queue',
    });
    this.#open -= 1;
    this.model.reports(book, report);
    if (agent.book.parent === undefined || report.undelivered.length > 0)
      this.model.found(report.undelivered, 'a report');
    return report.status;
  }

  async #body(turn: Turn, book: TurnBook, { steps }: TurnPlan): Promise<void> {
    this.#turns.push({ turn, book });
    const work = this.#starts({ name: book.agent.name, kind: 'body', turn: book }, turn.token);
    try {
      await this.#steps(turn, book, steps);
    } catch (error) {
      if (!(error instanceof CancelledError)) this.model.fails(book);
      throw error;
    } finally {
      book.closedIn = this.model.step;
      this.model.ends(work);
    }
  }

  async #steps(turn: Turn, book: TurnBook, steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.#step(turn, book, step);
  }

  async #step(turn: Turn, book: TurnBook, step: Step): Promise<void> {
    switch (step.do) {
      case 'fails':
        throw new Error('the body fails');
      case 'takes messages':
        this.model.found(turn.takeInterjections(), 'a model call');
        return;
      case 'waits':
        await this.#work(step.work, turn);
        return;
      case 'tracks': {
        const name = this.#name('tracked');
        void turn.track({ kind: 'work', name }, this.#runs({ name, kind: 'tracked', turn: book }, step.work, turn));
        return;
      }
      case 'background':
        this.#background(book.agent, step.work);
        return;
      case 'forgets': {
        const name = this.#name('model');
        void turn.model((context) => this.#runs({ name, kind: 'model', turn: book }, step.work, context), { name });
        return;
      }
      case 'branch':
        // Its rejections are its own: the library answers for promises of its own only.
        void this.#steps(turn, book, step.steps).catch(() => undefined);
        return;
      case 'model': {
        const name = this.#name('model');
        const reply = await turn.model(
          (context) => {
            if (step.readsNews) void context.readInterjections().length;
            const end = this.#runs({ name, kind: 'model', turn: book }, step.work, context);
            if (step.timeoutMs !== undefined)
              this.model.cuts(
                this.model.works.filter((work) => work.name === name),
                this.clock.now() + step.timeoutMs,
              );
            return end;
          },
          { name, timeoutMs: step.timeoutMs },
        );
        this.model.found(reply.delivered, 'a model call');
        return;
      }
      case 'tools':
        await this.#tools(turn, book, step);
    }
  }

  #background(agent: AgentBook, plan: WorkPlan): void {
    const name = this.#name('background');
    try {
      this.#agents
        .get(agent.name)
        ?.controller.background(name, (context) =>
          this.#runs({ name, kind: 'background', agent: outliving(agent) }, plan, context),
        );
    } catch (error) {
      // Refused: the agent is closed, or below a call that was stopped.
      if (!(error instanceof TypeError)) throw error;
    }
  }

  async #tools(turn: Turn, book: TurnBook, step: Step & { readonly do: 'tools' }): Promise<void> {
    const { mode, canDetach, timeoutMs, onInterject } = step;
    const calls = step.calls.map((plan) => {
      const id = this.#name('call');
      const call: CallBook = {
        id,
        turn: book,
        hasLimit: timeoutMs !== undefined,
        isCutByMessage: onInterject === 'cancel',
        onlyDelegates: plan.does === 'delegates' && plan.work.manner !== 'deaf',
        asks: plan.does === 'asks',
        requests: plan.does === 'requests',
        work: undefined,
        outcomes: 0,
        status: undefined,
        isLate: book.closedIn !== undefined,
        stop: undefined,
        isDetached: false,
      };
      return { id, name: id, call, plan };
    });
    const isLate = book.status === 'ended';
    if (!isLate) book.calls.push(...calls.map(({ call }) => call));
    this.model.calls.push(...calls.map(({ call }) => call));
    const outcomes = await turn.tools(calls, (given, context) => this.#tool(given.plan, given.call, context), {
      mode,
      canDetach,
      timeoutMs,
      onInterject,
    });
    const wanted = calls.map(({ id }) => id).join();
    this.model.law(outcomes.map(({ id }) => id).join() === wanted, `${wanted} answered in another order`);
    if (isLate)
      for (const { id, status } of outcomes)
        this.model.law(status === 'not-started', `${id} is ${status}, after its turn`);
  }

  // Work.

  #starts(about: Partial<Work> & Pick<Work, 'name' | 'kind'>, token: CancellationToken): Work {
    const { name, kind, turn, call } = about;
    const agent = about.agent ?? turn?.agent ?? this.#root.book;
    const work = this.model.starts({ name, kind, agent, turn, call });
    token.onCancelled(() => {
      this.#inside('onCancelled');
    });
    this.#inside('start');
    return work;
  }

  /** A function of the user's that does what the plan says. */
  async #runs(
    about: Partial<Work> & Pick<Work, 'name' | 'kind'>,
    plan: WorkPlan,
    context: { readonly token: CancellationToken },
  ): Promise<string> {
    const work = this.#starts(about, context.token);
    try {
      return await this.#work(plan, context);
    } finally {
      this.model.ends(work);
    }
  }

  #tool(plan: CallPlan, call: CallBook, context: ToolContext): Promise<string> | string {
    const work = this.#starts({ name: call.id, kind: 'tool', turn: call.turn, call }, context.token);
    this.#contexts.push({ context, call });
    const ends = (): void => {
      this.model.ends(work);
    };
    if (plan.does === 'works' && plan.work.manner === 'quick') {
      ends();
      return 'at once';
    }
    return this.#toolWork(plan, call, context).finally(ends);
  }

  async #toolWork(
    { does, work, turn: plan, onChildInterrupted }: CallPlan,
    call: CallBook,
    context: ToolContext,
  ): Promise<string> {
    const about = { name: this.#name('part'), turn: call.turn, call };
    switch (does) {
      case 'works':
        return this.#work(work, context);
      case 'asks': {
        const asked = context.ask<string>((respond) => {
          const question = this.#starts({ ...about, kind: 'question' }, context.token);
          this.model.ends(question);
          this.#answers.push(() => respond('yes'));
        });
        const answer = await asked.catch(() => undefined);
        return answer === undefined ? 'unanswered' : this.#work(work, context);
      }
      case 'requests':
        return this.#work(work, context).catch((error: unknown) => {
          const { reason } = context.token;
          if (reason === undefined) throw error;
          throw new CancelledError(reason, { abandoned: { name: about.name, isOver: true } });
        });
      case 'commits':
        return context.commit(() =>
          this.#runs({ ...about, kind: 'commit' }, { ...work, manner: 'deaf', ms: Math.min(work.ms, 120) }, context),
        );
      case 'tracks':
        void context.track(
          { kind: 'work', name: about.name },
          this.#runs({ ...about, kind: 'tracked' }, work, context),
        );
        return this.#work({ manner: 'obeys', ms: 20 }, context);
      case 'declines':
        await this.#work(work, context);
        return context.decline();
      case 'delegates':
      case 'delegates beside': {
        const isDetached = does === 'delegates beside';
        const book = this.#agentBook(call.turn.agent, call, isDetached, onChildInterrupted);
        const child = this.#keep(context.subagent(book.name, { detached: isDetached, onChildInterrupted }), book);
        const done = this.#runTurn(child, plan);
        if (isDetached) return this.#work(work, context);
        await done;
        return work.manner === 'deaf' ? this.#work(work, context) : 'delegated';
      }
    }
  }

  async #work({ manner, ms }: WorkPlan, { token }: { readonly token: CancellationToken }): Promise<string> {
    if (manner === 'quick') return 'at once';
    const wait = this.#wait(ms);
    if (manner === 'deaf') return wait;
    try {
      await raceCancellation(token, wait);
    } catch (error) {
      if (manner === 'cleans') await this.#wait(30);
      throw error;
    }
    if (manner === 'throws') throw new Error('the work fails');
    return 'done';
  }

  #wait(ms: number): Promise<string> {
    const wait = deferred<string>();
    this.#waits.push(wait);
    this.#ownTimers += 1;
    const timer = this.clock.setTimer(
      () => {
        wait.resolve('in time');
      },
      ms,
      { ref: true },
    );
    return wait.promise.finally(() => {
      this.#ownTimers -= 1;
      timer.release();
      this.#waits.splice(this.#waits.indexOf(wait), 1);
    });
  }
}

function chosen<T>(list: readonly T[], n: number): T | undefined {
  return list[n % Math.max(1, list.length)];
}
