/**
 * Turns against their laws, over interleavings of everything that can happen to them: prompts, replies, tool calls,
 * messages, answers, cancels of everything and of one thing, kills, stops of a sub-agent alone, completions in the tick
 * of a stop.
 *
 * What happens in one tick is a group; fast-check's scheduler chooses the order of the groups. A failure prints its seed
 * and path.
 */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';

import {
  InterruptController,
  raceCancellation,
  type Delivery,
  type ToolContext,
  type Turn,
  type UndeliveredPolicy,
} from '../../src/index.ts';
import { deferred, type Deferred } from '../../src/testing/fakes.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { TurnModel } from './support/turn-model.ts';

const numRuns = Number(process.env['FC_NUM_RUNS'] ?? 10_000);

/** How a piece of work behaves. */
type Manner = 'quick' | 'obedient' | 'deaf' | 'breaking' | 'asking' | 'committing' | 'delegating';

interface Round {
  readonly reply: 'quick' | 'obedient' | 'deaf' | 'ending';
  readonly calls: readonly Manner[];
  readonly mode: 'parallel' | 'sequential';
  readonly onInterject: 'finish' | 'cancel';
}

interface Script {
  readonly turns: readonly (readonly Round[])[];
  readonly onChildInterrupted: 'propagate' | 'contain';
  readonly onParentInterject: 'forward' | 'finish';
  readonly whenBusy: 'queue' | 'supersede';
  readonly undelivered: UndeliveredPolicy;
}

type Act =
  | {
      readonly do: 'prompt' | 'cancel' | 'kill' | 'settle' | 'answer' | 'cancel child' | 'kill child';
      readonly n: number;
    }
  | { readonly do: 'cancel turn' | 'cancel call'; readonly n: number }
  | { readonly do: 'say'; readonly delivery: Delivery };

const round: fc.Arbitrary<Round> = fc.record({
  reply: fc.constantFrom('quick', 'quick', 'obedient', 'deaf', 'ending'),
  calls: fc.array(
    fc.constantFrom<Manner>(
      'quick',
      'obedient',
      'deaf',
      'breaking',
      'asking',
      'committing',
      'delegating',
      'delegating',
    ),
    { maxLength: 3 },
  ),
  mode: fc.constantFrom('parallel', 'sequential'),
  onInterject: fc.constantFrom('finish', 'cancel'),
});

const script: fc.Arbitrary<Script> = fc.record({
  turns: fc.array(fc.array(round, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
  onChildInterrupted: fc.constantFrom('propagate', 'contain'),
  onParentInterject: fc.constantFrom('forward', 'finish'),
  whenBusy: fc.constant('queue'),
  undelivered: fc.constantFrom<UndeliveredPolicy>('return', 'keep'),
});

const n = fc.nat({ max: 5 });
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('settle' as const), n }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('prompt' as const), n }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      delivery: fc.constantFrom<Delivery>('now', 'after-current-tool', 'next-model-call', 'after-turn'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('answer' as const), n }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('cancel' as const, 'kill' as const, 'cancel child' as const, 'kill child' as const),
      n,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('cancel turn' as const, 'cancel call' as const), n }) },
);
/** Acts of one tick; a number is time that passes between two ticks. */
const groups = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.array(act, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 60, 200) },
  ),
  { minLength: 3, maxLength: 14 },
);

/** An agent that runs a script, and the book that is kept of it. */
class World {
  readonly clock = new VirtualClock();
  readonly model = new TurnModel();
  readonly agent: InterruptController;
  readonly #script: Script;
  readonly #pending: Deferred<string>[] = [];
  readonly #questions: (() => boolean)[] = [];
  readonly #children: InterruptController[] = [];
  readonly #reports: Promise<void>[] = [];
  readonly #calls: string[] = [];
  #prompts = 0;
  #messages = 0;
  #settled = 0;

  constructor(script: Script) {
    this.#script = script;
    this.agent = new InterruptController({
      name: 'main',
      clock: this.clock,
      graceMs: 100,
      undelivered: script.undelivered,
    });
    this.#listen(this.agent);
  }

  #listen(agent: InterruptController, above?: { readonly callId: string; readonly propagates: boolean }): void {
    agent.onEvent((event) => {
      if (event.instanceId !== agent.instanceId) return;
      if (event.type === 'turn-accepted') this.model.accept(agent.instanceId, event.turnId, above);
      if (event.type === 'turn-started') this.model.begin(agent.instanceId, event.turnId);
      if (event.type === 'turn-ended') this.model.end(agent.instanceId, event.turnId, event.interrupted);
      if (event.type === 'tool-outcome') this.model.outcome(event.outcome.id);
    });
  }

  get isOver(): boolean {
    return this.#settled === this.#reports.length;
  }

  prompt(): void {
    const rounds = this.#script.turns[this.#prompts++ % this.#script.turns.length] ?? [];
    void this.#run(this.agent, rounds, 0);
  }

  #run(agent: InterruptController, rounds: readonly Round[], depth: number): Promise<string> {
    const turn = agent.runTurn((own) => this.#body(agent, own, rounds, depth), { whenBusy: this.#script.whenBusy });
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
      const answer = await turn.model((ctx) => {
        this.model.starts(agent.instanceId, turn.id, 'a model call');
        if (reply === 'quick') return 'said';
        const said = this.#wait();
        if (reply === 'deaf') return said;
        const cut = raceCancellation(ctx.token, said);
        return reply === 'ending' ? cut.catch(() => 'half') : cut;
      });
      if (answer.status === 'completed') {
        const given = calls.map((manner, place) => ({
          id: `${agent.instanceId}.${String(turn.id)}.${String(index)}.${String(place)}`,
          name: depth > 0 && manner === 'delegating' ? 'obedient' : manner,
        }));
        this.model.intends(
          agent.instanceId,
          turn.id,
          given.map(({ id }) => id),
          onInterject === 'cancel',
        );
        this.#calls.push(...given.map(({ id }) => id));
        await turn.tools(given, (call, ctx) => this.#tool(call, ctx, depth), { mode, onInterject });
      }
      this.model.found(turn.takeInterjections(), 'model call');
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
        return this.#wait();
      case 'breaking':
        await raceCancellation(ctx.token, this.#wait());
        throw new Error('broken');
      case 'asking': {
        const answer = await ctx.ask<string>((respond) => this.#questions.push(() => respond('yes')));
        ctx.checkpoint();
        return answer.status;
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
    }
  }

  #wait(): Promise<string> {
    const one = deferred<string>();
    this.#pending.push(one);
    return one.promise;
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
        const message = agent.interject((this.#messages += 1), { delivery: act.delivery });
        return void model.sends(message);
      }
      case 'cancel':
      case 'kill':
        expect(agent[act.do]().accepted).toBe(model.stop(agent.instanceId));
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
        expect(agent.cancel('that one', { turnId }).accepted).toBe(model.stop(agent.instanceId, turnId));
        return;
      }
      case 'cancel call': {
        const callId = this.#calls[act.n % Math.max(1, this.#calls.length)];
        if (callId === undefined) return;
        model.stopCall(callId);
        agent.cancel('that one', { callId });
      }
    }
  }

  /** Lets everything come to its end. */
  async finish(): Promise<void> {
    for (let i = 0; i < 200 && !this.isOver; i += 1) {
      this.settle(0);
      this.#questions.shift()?.();
      await this.clock.advance(i % 10 === 9 ? 150 : 0);
    }
    expect(this.isOver, 'every turn settles').toBe(true);
    await Promise.all(this.#reports);
    if (this.#script.undelivered === 'keep') {
      await this.agent.runTurn(({ takeInterjections }) => {
        this.model.found(takeInterjections(), 'model call');
      });
    }
    this.model.closes();
    expect(this.model.broken).toEqual([]);
    for (let i = 0; i < 60; i += 1) this.settle(0);
    await this.clock.advance(0);
    expect(this.clock.pending, 'no timer is left').toBe(0);
    expect([this.agent.state, this.agent.interrupted]).toEqual(['idle', false]);
  }
}

describe('turns, whatever happens in whatever order', () => {
  test.prop([fc.scheduler(), script, groups], { numRuns })(
    'one terminal event per turn, one outcome per call, no start after a stop, each message in one place',
    async (scheduler, plan, all) => {
      const world = new World(plan);
      world.prompt();
      for (const group of all) {
        scheduler.scheduleSequence([
          {
            label: JSON.stringify(group),
            builder: async () => {
              if (typeof group === 'number') await world.clock.advance(group);
              else {
                for (const one of group) world.do(one);
                await world.clock.advance(0);
              }
            },
          },
        ]);
      }
      await scheduler.waitIdle();
      await world.finish();
    },
  );
});
