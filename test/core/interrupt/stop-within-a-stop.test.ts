/**
 * Stops that are asked for from inside the events of a stop, by a listener that asks each time: they join the stop that
 * is being told, which ends, is said once to each rung, and leaves no turn behind.
 *
 * @module
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { InterruptController, InterruptEvent, TurnReport } from '../../../src/index.ts';
import { call, deaf, obedient, stage, tick, type Stage } from './kit.ts';

const verbs = {
  cancel: (agent) => agent.cancel(),
  kill: (agent) => agent.kill(),
  'kill all': (agent) => agent.kill(undefined, { all: true }),
  cancelAll: (agent) => agent.cancelAll(),
  close: (agent) => agent.close(),
  cancelCall: (agent) => agent.cancelCall('plan'),
} satisfies Record<string, (agent: InterruptController) => unknown>;

type Verb = keyof typeof verbs;
type Place = 'root' | 'on a call' | 'beside' | 'below' | 'detached';

const verbNames = Object.keys(verbs) as Verb[];
const places: readonly Place[] = ['root', 'on a call', 'beside', 'below', 'detached'];

interface Family extends Stage {
  readonly at: Readonly<Record<Place, InterruptController>>;
  readonly turns: readonly Promise<TurnReport<unknown>>[];
}

/** An agent with a sub-agent in each way that there is, one of them three deep, and with background work here and there. */
async function family(): Promise<Family> {
  const staged = stage();
  const { agent } = staged;
  const beside = agent.child('beside');
  const detached = agent.child('detached', { detached: true });
  const below = beside.child('below');
  let onCall: InterruptController = agent;
  const turns = [
    agent.runTurn(({ tool }) =>
      tool(call('plan'), (_call, { subagent }) => {
        onCall = subagent('on a call');
        onCall.background('job', obedient);
        return onCall.runTurn(obedient);
      }),
    ),
    ...[beside, below, detached].map((each) => each.runTurn(obedient)),
  ];
  agent.background('deaf', deaf);
  detached.background('job', obedient);
  agent.accept();
  await tick();
  return { ...staged, at: { root: agent, 'on a call': onCall, beside, below, detached }, turns };
}

/** Lets `ask` be called at each event, the events of that call included, and says how often what was said. */
async function told({ agent, clock, turns }: Family, first: Verb, ask: (event: InterruptEvent) => void) {
  const counts = new Map<string, number>();
  let total = 0;
  agent.onEvent(
    (event) => {
      const about = event.type === 'interrupt-propagated' ? event.childId : 'kind' in event ? event.kind : '';
      const name = `${event.type} ${about}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      // A recursion without end would be a red test, and not an overflow somewhere in it.
      if (++total <= 200) ask(event);
    },
    { operations: true },
  );
  void verbs[first](agent);
  await clock.advance(60_000);
  const counted = new Map(counts);
  void agent.kill('the end', { all: true });
  await clock.advance(60_000);
  const statuses = (await Promise.all(turns)).map(({ status }) => status);
  return { total, counts: counted, statuses };
}

describe('a listener that stops at each event of a stop', () => {
  const cases = verbNames.flatMap((first) => verbNames.flatMap((then) => places.map((place) => [first, then, place])));

  it.each(cases as [Verb, Verb, Place][])(
    '%s, then %s of the agent %s: every turn ends',
    async (first, then, place) => {
      const staged = await family();
      const { total, counts } = await told(staged, first, () => void verbs[then](staged.at[place]));
      expect(total).toBeLessThan(100);
      // At most the two rungs of each of the agents.
      for (const [name, count] of counts)
        if (name.startsWith('interrupt-')) expect([name, count <= 4]).toEqual([name, true]);
    },
  );

  it.each(verbNames.filter((verb) => verb !== 'cancelCall'))(
    '%s again and again is one stop for a listener of the root',
    async (verb) => {
      const staged = await family();
      const { counts } = await told(staged, verb, () => void verbs[verb](staged.agent));
      const rung = verb.startsWith('kill') ? 'kill' : 'cancel';
      expect(counts.get(`interrupt-requested ${rung}`)).toBe(1);
    },
  );

  it('any of the verbs at any of the agents, in any order: every turn ends', async () => {
    const step = fc.tuple(fc.constantFrom(...verbNames), fc.constantFrom(...places));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...verbNames),
        fc.array(step, { minLength: 1, maxLength: 12 }),
        async (first, steps) => {
          const staged = await family();
          let next = 0;
          const { total, statuses } = await told(staged, first, () => {
            const [verb, place] = steps[next++ % steps.length] as (typeof steps)[number];
            void verbs[verb](staged.at[place]);
          });
          expect(total).toBeLessThan(100);
          expect(statuses).toHaveLength(4);
        },
      ),
      { numRuns: 60 },
    );
  });
});
