/**
 * Turns against their laws, over interleavings of everything that can happen to them: prompts, replies, tool calls,
 * messages, answers, cancels of everything and of one thing, kills, stops of a sub-agent alone, completions in the tick
 * of a stop; budgets, a model that falls silent and is called again, waits that yield to a message, work beside the turn,
 * stops of the session and its drain.
 *
 * What happens in one tick is a group; fast-check's scheduler chooses the order of the groups. A failure prints its seed
 * and path.
 */
import { fc, test } from '@fast-check/vitest';
import { describe } from 'vitest';

import { type Delivery, type TurnBudget } from '../../src/index.ts';
import type { UndeliveredPolicy } from '../../src/core/interrupt/public-types/messages.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { World, type Act, type Manner, type Round, type Script } from './support/turn-world.ts';

const numRuns = propertyRuns(10_000);

const round: fc.Arbitrary<Round> = fc.record({
  reply: fc.constantFrom('quick', 'quick', 'obedient', 'deaf', 'ending', 'silent', 'mute'),
  calls: fc.array(
    fc.constantFrom<Manner>(
      'quick',
      'obedient',
      'deaf',
      'breaking',
      'asking',
      'deferring',
      'waiting',
      'committing',
      'delegating',
      'delegating',
      'detaching',
    ),
    { maxLength: 3 },
  ),
  mode: fc.constantFrom('parallel', 'sequential', 'not waited for'),
  onInterject: fc.constantFrom('finish', 'cancel', 'yield'),
});

const limit = fc.option(fc.nat({ max: 4 }), { nil: undefined });
const budget: fc.Arbitrary<TurnBudget> = fc.record({
  modelCalls: limit,
  toolCalls: limit,
  outputTokens: fc.option(fc.constantFrom(0, 10, 15, 30), { nil: undefined }),
  wallMs: fc.option(fc.constantFrom(50, 200), { nil: undefined }),
  wrapUpCalls: fc.constantFrom(0, 1),
});

const script: fc.Arbitrary<Script> = fc.record({
  turns: fc.array(fc.array(round, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
  onChildInterrupted: fc.constantFrom('propagate', 'contain'),
  onParentInterject: fc.constantFrom('forward', 'finish'),
  whenBusy: fc.constant('queue'),
  undelivered: fc.constantFrom<UndeliveredPolicy>('return', 'keep'),
  budget: fc.option(budget, { nil: undefined }),
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
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'cancel session' as const,
        'cancel all sessions' as const,
        'cancel all' as const,
        'drain' as const,
        'execute' as const,
        'execute' as const,
        'consume' as const,
      ),
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
                world.look();
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
