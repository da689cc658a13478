/**
 * Random programs for the whole machine: what agents are given to do, and what happens to them meanwhile.
 *
 * A program is plain data, so that a failure prints what it ran.
 *
 * @module
 */
import fc from 'fast-check';

import type { Delivery } from '../../../src/index.ts';

/** How a piece of work answers a stop, and how long it takes by itself. */
export interface WorkPlan {
  /** `cleans` needs 30 ms after a stop; `deaf` ignores it; `throws` obeys it, and fails if nobody stops it. */
  readonly manner: 'quick' | 'obeys' | 'cleans' | 'deaf' | 'throws';
  readonly ms: number;
}

/** One tool call. */
export interface CallPlan {
  readonly does: 'works' | 'asks' | 'requests' | 'commits' | 'tracks' | 'declines' | 'delegates' | 'delegates beside';
  readonly work: WorkPlan;
  /** What the sub-agent is given, if the tool delegates. */
  readonly turn: TurnPlan | undefined;
  readonly onChildInterrupted: 'propagate' | 'contain' | undefined;
}

/** What the body of a turn does next. */
export type Step =
  | {
      readonly do: 'model';
      readonly work: WorkPlan;
      readonly readsNews: boolean;
      readonly timeoutMs: number | undefined;
    }
  | {
      readonly do: 'tools';
      readonly calls: readonly CallPlan[];
      readonly mode: 'parallel' | 'sequential';
      readonly canDetach: boolean;
      readonly timeoutMs: number | undefined;
      readonly onInterject: 'finish' | 'cancel';
    }
  | { readonly do: 'takes messages' | 'fails' }
  /** `waits` in the body itself; `forgets` the promise of a model call. */
  | { readonly do: 'waits' | 'forgets' | 'tracks' | 'background'; readonly work: WorkPlan }
  /** Steps that nobody awaits. */
  | { readonly do: 'branch'; readonly steps: readonly Step[] };

/** What one turn does. */
export interface TurnPlan {
  readonly steps: readonly Step[];
}

/** The aims of a stop. */
export type StopCommand =
  | 'cancel'
  | 'kill'
  | 'cancelAll'
  | 'kill all'
  | 'cancelCall'
  | 'ticket.cancel'
  | 'turn.cancel'
  | 'ctx.cancelTurn'
  | 'abort a turn'
  | 'abort the agent';

/** What people and callbacks do; `n` chooses among what is there. */
export interface Command {
  readonly do:
    | StopCommand
    | 'prompt'
    | 'prompt with a signal'
    | 'prompt a child'
    | 'accept'
    | 'run what was accepted'
    | 'say'
    | 'withdraw'
    | 'answer'
    | 'finish'
    | 'send to background';
  readonly n: number;
  readonly kind: 'user' | 'app:policy';
  readonly delivery: Delivery;
}

/** From where commands are given: from outside at an instant, or from inside the nth callback of a kind. */
export type Moment =
  | { readonly at: number }
  | { readonly inside: 'event' | 'start' | 'onCancelled'; readonly nth: number };

/** Commands of one tick. */
export interface Act {
  readonly when: Moment;
  readonly commands: readonly Command[];
}

/** One program. */
export interface Program {
  readonly turns: readonly TurnPlan[];
  readonly undelivered: 'return' | 'keep';
  readonly acts: readonly Act[];
}

/** How long work takes: instants meet, and `deaf` work outlives every grace. */
const ms = fc.constantFrom(0, 10, 20, 30, 120, 5_000);

const work: fc.Arbitrary<WorkPlan> = fc.record({
  manner: fc.constantFrom('quick', 'obeys', 'obeys', 'cleans', 'deaf', 'deaf', 'throws'),
  ms,
});

const limit = fc.option(fc.constantFrom(0, 20, 50), { nil: undefined, freq: 6 });

function leafCall(): fc.Arbitrary<CallPlan> {
  return fc.record({
    does: fc.constantFrom('works', 'works', 'requests', 'asks', 'commits', 'tracks', 'declines'),
    work,
    turn: fc.constant(undefined),
    onChildInterrupted: fc.constant(undefined),
  });
}

function delegatingCall(depth: number): fc.Arbitrary<CallPlan> {
  return fc.record({
    does: fc.constantFrom('delegates', 'delegates', 'delegates', 'delegates beside'),
    work,
    turn: turnPlan(depth - 1),
    onChildInterrupted: fc.constantFrom('propagate', 'contain', undefined),
  });
}

function step(depth: number, isBranch: boolean): fc.Arbitrary<Step> {
  const call =
    depth === 0
      ? leafCall()
      : fc.oneof({ weight: 2, arbitrary: leafCall() }, { weight: 1, arbitrary: delegatingCall(depth) });
  const tools = fc.record({
    do: fc.constant('tools' as const),
    calls: fc.array(call, { maxLength: 3 }),
    mode: fc.constantFrom('parallel', 'parallel', 'sequential'),
    canDetach: fc.boolean(),
    timeoutMs: limit,
    onInterject: fc.constantFrom('finish', 'cancel'),
  });
  const model = fc.record({ do: fc.constant('model' as const), work, readsNews: fc.boolean(), timeoutMs: limit });
  const other: fc.Arbitrary<Step>[] = [
    fc.record({ do: fc.constantFrom('waits', 'forgets', 'tracks', 'background'), work }),
    fc.record({ do: fc.constantFrom('takes messages', 'takes messages', 'fails') }),
  ];
  if (!isBranch) {
    const steps = fc.array(step(depth, true), { minLength: 1, maxLength: 2 });
    other.push(fc.record({ do: fc.constant('branch' as const), steps }));
  }
  return fc.oneof(
    { weight: 4, arbitrary: tools },
    { weight: 3, arbitrary: model },
    ...other.map((arbitrary) => ({ weight: 1, arbitrary })),
  );
}

function turnPlan(depth: number): fc.Arbitrary<TurnPlan> {
  return fc.record({ steps: fc.array(step(depth, false), { minLength: 1, maxLength: 3 }) });
}

const stops = [
  'cancel',
  'cancel',
  'kill',
  'cancelAll',
  'kill all',
  'cancelCall',
  'ticket.cancel',
  'turn.cancel',
  'ctx.cancelTurn',
  'abort a turn',
  'abort the agent',
] as const;
const others = [
  'prompt',
  'prompt with a signal',
  'prompt a child',
  'accept',
  'run what was accepted',
  'say',
  'say',
  'withdraw',
  'answer',
  'finish',
  'finish',
  'send to background',
] as const;

const command: fc.Arbitrary<Command> = fc.record({
  do: fc.oneof(fc.constantFrom(...stops), fc.constantFrom(...others)),
  n: fc.nat({ max: 6 }),
  kind: fc.constantFrom('user', 'app:policy'),
  delivery: fc.constantFrom('now', 'after-current-tool', 'next-model-call', 'after-turn'),
});

const moment: fc.Arbitrary<Moment> = fc.oneof(
  fc.record({ at: fc.constantFrom(0, 5, 10, 20, 30, 60, 110, 120, 300) }),
  fc.record({ inside: fc.constantFrom('event', 'start', 'onCancelled'), nth: fc.nat({ max: 12 }) }),
);

/** Agents nest four deep: the one that is prompted, and three below it. */
const MAX_DEPTH = 3;

/** Any program. */
export const program: fc.Arbitrary<Program> = fc.record({
  turns: fc.array(turnPlan(MAX_DEPTH), { minLength: 1, maxLength: 2 }),
  undelivered: fc.constantFrom('return', 'keep'),
  acts: fc.array(fc.record({ when: moment, commands: fc.array(command, { minLength: 1, maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 6,
  }),
});
