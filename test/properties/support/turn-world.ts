/**
 * An agent in a session that runs a random script on a clock that stands still, and tells its book what user code sees.
 *
 * @module
 */
import { expect } from 'vitest';

import {
  DeadlineExceededError,
  raceCancellation,
  type CancellationToken,
  type Delivery,
  type Interjection,
  type InterruptController,
  type ModelOutcome,
  type ToolContext,
  type Turn,
  type TurnBudget,
  type TurnTicket,
} from '../../../src/index.ts';
import type { UndeliveredPolicy } from '../../../src/core/interrupt/public-types/messages.ts';
import { SessionRegistry, type DrainReport } from '../../../src/sessions/index.ts';
import { deferred, type Deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { TurnModel } from './turn-model.ts';

/** How a piece of work behaves. */
export type Manner =
  | 'quick'
  | 'obedient'
  | 'deaf'
  | 'breaking'
  | 'asking'
  | 'deferring'
  | 'waiting'
  | 'committing'
  | 'delegating'
  | 'detaching';

/** One call of the model, and the batch it asks for. A `silent` model answers when it is called again, a `mute` one never. */
export interface Round {
  readonly reply: 'quick' | 'obedient' | 'deaf' | 'ending' | 'silent' | 'mute';
  readonly calls: readonly Manner[];
  readonly mode: 'parallel' | 'sequential' | 'not waited for';
  readonly onInterject: 'finish' | 'cancel' | 'yield';
}

/** What an agent is given to do. */
export interface Script {
  readonly turns: readonly (readonly Round[])[];
  readonly onChildInterrupted: 'propagate' | 'contain';
  readonly onParentInterject: 'forward' | 'finish';
  readonly whenBusy: 'queue' | 'supersede';
  readonly undelivered: UndeliveredPolicy;
  readonly budget: TurnBudget | undefined;
}

/** What happens to it. */
export type Act =
  | {
      readonly do:
        | 'prompt'
        | 'cancel'
        | 'kill'
        | 'settle'
        | 'answer'
        | 'cancel child'
        | 'kill child'
        | 'cancel all'
        | 'drain'
        | 'cancel session'
        | 'cancel all sessions'
        | 'execute'
        | 'consume';
      readonly n: number;
    }
  | { readonly do: 'cancel turn' | 'cancel call'; readonly n: number }
  | { readonly do: 'say'; readonly delivery: Delivery };

/** An agent that runs a script, and the book that is kept of it. */
export class World {
  readonly clock = new VirtualClock();
  readonly model = new TurnModel();
  readonly agent: InterruptController;
  readonly #sessions: SessionRegistry;
  readonly #jobs: { readonly token: CancellationToken; isStopped: boolean; end(): unknown }[] = [];
  readonly #tickets = new Map<number, TurnTicket>();
  readonly #script: Script;
  readonly #pending: Deferred<string>[] = [];
  readonly #questions: (() => boolean)[] = [];
  readonly #children: InterruptController[] = [];
  readonly #reports: Promise<void>[] = [];
  readonly #calls: string[] = [];
  readonly #sent: Interjection[] = [];
  #prompts = 0;
  /** When the sessions are to have ended by themselves. */
  #drainedAt = Infinity;
  #drained: Promise<DrainReport> | undefined;
  /** Something was stopped in the drain. */
  #hadToStop = false;
  /** Turns that waited in line as the drain began, or are given in it, and that one of them is told so. */
  readonly #refused = new Set<number>();
  #isRefusing = false;
  /** Something had not ended when the time was over, perhaps because it was being stopped already. */
  #endedLate = false;
  #settled = 0;
  #deaf = 0;

  constructor(script: Script) {
    this.#script = script;
    this.#sessions = new SessionRegistry({ clock: this.clock });
    this.agent = this.#sessions.open('main', { graceMs: 100, undelivered: script.undelivered }).controller;
    this.#listen(this.agent);
  }

  #listen(agent: InterruptController, above?: { readonly callId: string; readonly propagates: boolean }): void {
    const isDetached = agent !== this.agent && above === undefined;
    agent.onEvent((event) => {
      if (event.instanceId !== agent.instanceId) return;
      if (event.type === 'turn-started') this.#isRefusing = agent === this.agent && this.#refused.has(event.turnId);
      if (event.type === 'interrupt-requested' && event.reason.kind === 'shutdown' && !this.#isRefusing)
        this.#shutsDown();
      if (event.type === 'turn-accepted') {
        const { budget } = this.#script;
        const isOwn = agent === this.agent;
        this.model.accept(agent.instanceId, event.turnId, { above, budget: isOwn ? budget : undefined, isDetached });
        if (isOwn && this.#isClosing) {
          this.#refused.add(event.turnId);
          this.model.refuses(agent.instanceId, event.turnId);
        }
      }
      if (event.type === 'turn-started') this.model.begin(agent.instanceId, event.turnId);
      if (event.type === 'turn-ended' && event.at >= this.#drainedAt) this.#endedLate = true;
      if (event.type === 'turn-ended') this.#isRefusing = false;
      if (event.type === 'turn-ended') this.model.end(agent.instanceId, event.turnId, event);
      const isCut = event.type === 'turn-ended' && event.status === 'cancelled' && above === undefined;
      if (isCut && this.model.wasCut(agent.instanceId, event.turnId)) this.#hadToStop = true;
      if (event.type === 'tool-outcome') this.model.outcome(event.outcome.id);
    });
  }

  get isOver(): boolean {
    return this.#settled === this.#reports.length;
  }

  /** A stop of kind shutdown: the time of the drain is over, or it has stopped the rest already. */
  #shutsDown(): void {
    expect(this.clock.now(), 'stopped before its time').toBeGreaterThanOrEqual(this.#drainedAt);
    if (this.model.stopAll()) this.#hadToStop = true;
    this.#stopsJobs();
  }

  #stopsJobs(): void {
    if (this.#isClosing && this.#jobs.some(({ isStopped }) => !isStopped)) this.#hadToStop = true;
    for (const job of this.#jobs) job.isStopped = true;
  }

  get #isClosing(): boolean {
    return this.#drained !== undefined;
  }

  prompt(): void {
    const rounds = this.#script.turns[this.#prompts++ % this.#script.turns.length] ?? [];
    void this.#run(this.agent, rounds, 0);
  }

  #run(agent: InterruptController, rounds: readonly Round[], depth: number): Promise<string> {
    const ticket = agent.accept();
    if (depth === 0) this.#tickets.set(ticket.id, ticket);
    const turn = agent.runTurn((own) => this.#body(agent, own, rounds, depth), {
      ticket,
      whenBusy: this.#script.whenBusy,
      budget: depth === 0 ? this.#script.budget : undefined,
    });
    const done = turn.then((report) => {
      this.model.reports(agent.instanceId, report.turnId, report);
      if (depth === 0) this.model.found(report.undelivered, 'report');
      this.#settled += 1;
    });
    this.#reports.push(done);
    return turn.then(({ status }) => status);
  }

  async #body(agent: InterruptController, turn: Turn, rounds: readonly Round[], depth: number): Promise<void> {
    this.model.starts(agent.instanceId, turn.id, 'a body');
    for (const [index, { reply, calls, mode, onInterject: wish }] of rounds.entries()) {
      // A message that cuts a call stops the sub-agents on it: a law of its own, tested elsewhere.
      const onInterject = calls.includes('delegating') ? 'finish' : wish;
      const answer = await this.#answer(agent, turn, reply);
      if (answer.status === 'completed') {
        const given = calls.map((manner, place) => ({
          id: `${agent.instanceId}.${String(turn.id)}.${String(index)}.${String(place)}`,
          name: depth > 0 && (manner === 'delegating' || manner === 'detaching') ? 'obedient' : manner,
        }));
        this.model.intends(
          agent.instanceId,
          turn.id,
          given.map(({ id }) => id),
          onInterject,
        );
        this.#calls.push(...given.map(({ id }) => id));
        const batch = turn.tools(given, (call, ctx) => this.#tool(call, ctx, depth), {
          mode: mode === 'sequential' ? mode : 'parallel',
          onInterject,
        });
        if (mode !== 'not waited for') await batch;
      }
      this.model.found(turn.takeInterjections(), 'model call');
    }
  }

  async #answer(agent: InterruptController, turn: Turn, reply: Round['reply']): Promise<ModelOutcome<string>> {
    const isSilent = reply === 'silent' || reply === 'mute';
    let attempts = 0;
    try {
      return await turn.model(
        (ctx) => {
          this.model.startsModel(agent.instanceId, turn.id, ctx.isWrapUp);
          ctx.usage({ outputTokens: 10 });
          this.model.produces(agent.instanceId, turn.id, 10);
          this.model.recovers(ctx.continuation !== undefined, (attempts += 1));
          if (reply === 'quick' || (reply === 'silent' && attempts === 2)) return 'said';
          if (isSilent) return raceCancellation(ctx.token, new Promise<string>(() => undefined));
          if (reply === 'deaf') return this.#deafWork();
          const said = this.#wait();
          const cut = raceCancellation(ctx.token, said);
          return reply === 'ending' ? cut.catch(() => 'half') : cut;
        },
        isSilent ? { idleMs: 50, recover: { attempts: 1 } } : {},
      );
    } catch (error) {
      if (error instanceof DeadlineExceededError) this.model.breaks(agent.instanceId, turn.id, attempts);
      throw error;
    }
  }

  async #tool(call: { id: string; name: string }, ctx: ToolContext, depth: number): Promise<string> {
    this.model.toolStarts(call.id);
    let how: 'completed' | 'failed' = 'failed';
    try {
      const value = await this.#work(call, ctx, depth);
      how = 'completed';
      return value;
    } finally {
      this.model.toolEnds(call.id, how);
    }
  }

  async #work({ id, name }: { id: string; name: string }, ctx: ToolContext, depth: number): Promise<string> {
    switch (name as Manner) {
      case 'quick':
        return 'done';
      case 'obedient':
        return raceCancellation(ctx.token, this.#wait());
      case 'deaf':
        return this.#deafWork();
      case 'breaking':
        await raceCancellation(ctx.token, this.#wait());
        throw new Error('broken');
      case 'asking': {
        this.model.asks(id);
        const answer = await ctx.ask<string>((respond) => this.#questions.push(() => respond('yes')));
        ctx.checkpoint();
        return answer;
      }
      case 'deferring': {
        this.model.asks(id);
        const asked = ctx.ask<string>((respond) => this.#questions.push(() => respond('yes')));
        return await asked.catch((error: unknown) => {
          this.model.unanswered(id);
          return String(error);
        });
      }
      case 'waiting': {
        const { status } = await ctx.wait(this.#wait());
        if (status === 'interjected') this.model.yields(id);
        return status;
      }
      case 'committing':
        return ctx.commit(() => this.#wait());
      case 'delegating': {
        const { onChildInterrupted, onParentInterject } = this.#script;
        const child = ctx.subagent('sub', { onChildInterrupted, onParentInterject });
        this.#children.push(child);
        this.#listen(child, { callId: id, propagates: onChildInterrupted === 'propagate' });
        const rounds: Round[] = [
          { reply: 'obedient', calls: ['obedient', 'deaf'], mode: 'parallel', onInterject: 'finish' },
          { reply: 'quick', calls: ['quick'], mode: 'parallel', onInterject: 'finish' },
        ];
        return this.#run(child, rounds, depth + 1);
      }
      case 'detaching': {
        const child = ctx.subagent('background', { detached: true });
        this.#children.push(child);
        this.#listen(child);
        const rounds: Round[] = [
          { reply: 'obedient', calls: ['obedient', 'quick'], mode: 'parallel', onInterject: 'cancel' },
        ];
        void this.#run(child, rounds, depth + 1);
        return raceCancellation(ctx.token, this.#wait());
      }
    }
  }

  /** Work beside the turns that ends only when it is told to. */
  #startJob(): void {
    let given: CancellationToken | undefined;
    const { cancel } = this.agent.background('job', ({ token }) => {
      given = token;
      return raceCancellation(token, new Promise<never>(() => undefined));
    });
    if (given !== undefined) this.#jobs.push({ token: given, isStopped: false, end: cancel });
  }

  #wait(): Promise<string> {
    const one = deferred<string>();
    this.#pending.push(one);
    return one.promise;
  }

  /** Work that ends when it ends, whoever stops it. */
  #deafWork(): Promise<string> {
    this.#deaf += 1;
    return this.#wait().finally(() => (this.#deaf -= 1));
  }

  settle(which: number): void {
    this.#pending.splice(which % Math.max(1, this.#pending.length), 1)[0]?.resolve('done');
  }

  do(act: Act): void {
    const { agent, model } = this;
    switch (act.do) {
      case 'prompt':
        return void this.prompt();
      case 'settle':
        return void this.settle(act.n);
      case 'answer':
        return void this.#questions.splice(act.n % Math.max(1, this.#questions.length), 1)[0]?.();
      case 'say': {
        const message = agent.interject(String(this.#sent.length), { delivery: act.delivery });
        this.#sent.push(message);
        return void model.sends(message);
      }
      case 'cancel':
      case 'kill':
        expect(agent[act.do]().accepted).toBe(model.stop(agent.instanceId));
        return;
      case 'cancel session':
      case 'cancel all sessions': {
        model.stopAll();
        this.#stopsJobs();
        if (act.do === 'cancel session') void this.#sessions.cancel('main');
        else void this.#sessions.cancelAll();
        return;
      }
      case 'cancel all':
        model.stopAll();
        this.#stopsJobs();
        return void agent.cancelAll('everything');
      case 'drain':
        if (this.#isClosing) return;
        this.#drainedAt = this.clock.now() + 150;
        for (const id of model.drains(agent.instanceId)) this.#refused.add(id);
        this.#drained = this.#sessions.drain({ timeoutMs: 150 });
        return;
      case 'execute':
        if (this.#isClosing) {
          expect(() => agent.background('job', () => 'never')).toThrow(TypeError);
          return;
        }
        this.#startJob();
        return;
      case 'consume':
        expect(agent.consumeWasInterrupted() !== undefined).toBe(model.consumes(agent.instanceId));
        return;
      case 'cancel child':
      case 'kill child': {
        const child = this.#children[act.n % Math.max(1, this.#children.length)];
        if (child === undefined) return;
        const expected = model.stop(child.instanceId);
        expect(child[act.do === 'cancel child' ? 'cancel' : 'kill']().accepted).toBe(expected);
        return;
      }
      case 'cancel turn': {
        const turnId = 1 + (act.n % 3);
        const accepted = this.#tickets.get(turnId)?.cancel('that one').accepted ?? false;
        expect(accepted).toBe(model.stop(agent.instanceId, turnId));
        return;
      }
      case 'cancel call': {
        const callId = this.#calls[act.n % Math.max(1, this.#calls.length)];
        if (callId === undefined) return;
        model.stopCall(callId);
        agent.cancelCall(callId, 'that one');
      }
    }
  }

  /** What the agent and its session say of themselves, against the book. */
  look(): void {
    const { agent, model } = this;
    if (model.isStopping(agent.instanceId))
      expect([agent.interrupted, agent.interruption?.kind]).toEqual([true, 'cancel']);
    expect(agent.wasInterrupted, 'wasInterrupted').toBe(model.isUntold(agent.instanceId));
    for (const { token, isStopped } of this.#jobs) expect(token.isCancelled, 'background work').toBe(isStopped);
  }

  /** Lets everything come to its end. */
  async finish(): Promise<void> {
    for (let i = 0; i < 600 && !this.isOver; i += 1) {
      this.settle(0);
      this.#questions.shift()?.();
      await this.clock.advance(i % 4 === 3 ? 150 : 0);
    }
    expect(this.isOver, 'every turn settles').toBe(true);
    await Promise.all(this.#reports);
    if (this.#drained !== undefined) await this.#closed(this.#drained);
    else if (this.#script.undelivered === 'keep') {
      await this.agent.runTurn(({ takeInterjections }) => {
        this.model.found(takeInterjections(), 'model call');
      });
    }
    this.look();
    this.model.closes();
    for (const job of this.#jobs) job.end();
    expect(this.model.broken).toEqual([]);
    for (let i = 0; i < 60; i += 1) this.settle(0);
    await this.clock.advance(0);
    expect(this.clock.pending, 'no timer is left').toBe(0);
    expect([this.agent.state, this.agent.interrupted]).toEqual(['idle', false]);
  }

  /** The drain has ended, and says what it came to. */
  async #closed(drained: Promise<DrainReport>): Promise<void> {
    // Background work never ends by itself here: with some of it the drain takes all the time it has.
    await this.clock.advance(Math.max(0, this.#drainedAt - this.clock.now()));
    const { finished, stopped } = await drained;
    const hadToStop = this.#hadToStop;
    expect(finished.length + stopped.length, 'finished or stopped').toBe(1);
    if (hadToStop) expect(finished, 'finished by itself').toEqual([]);
    else if (!this.#endedLate) {
      const left = stopped.flatMap(({ report }) => report.abandoned);
      expect(left.length, 'stopped for what was left behind').toBe(stopped.length === 0 ? 0 : left.length || -1);
    }
    if (finished.length > 0) expect(this.#deaf, 'finished, and left behind').toBe(0);
    for (const message of this.#sent) this.model.returns(message);
  }
}
