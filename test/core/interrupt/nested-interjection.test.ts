/**
 * A message typed while a sub-agent of a sub-agent works its way through 150 steps: who gets it, and that nobody gets it
 * twice.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';

import { type Delivery, type SubagentOptions, type TurnReport } from '../../../src/index.ts';
import { call, stage, tick } from './kit.ts';

const STEPS = 150;

type Policy = NonNullable<SubagentOptions['onParentInterject']>;

interface Plan {
  /** From the root to the planner, from the planner to the worker. */
  readonly policies: readonly [Policy | undefined, Policy | undefined];
  /** In which steps of the worker a person types. */
  readonly typedIn: readonly number[];
  readonly delivery?: Delivery;
}

/** What was seen of a root, a planner below it and a worker below that. */
interface Seen {
  /** Who was given what; of the worker also in which step. */
  readonly heard: string[];
  readonly steps: number;
  readonly delivered: number;
  readonly reports: Readonly<Record<'planner' | 'worker', TurnReport<unknown>['status'] | undefined>>;
  readonly root: TurnReport<unknown>;
}

async function nested({ policies, typedIn, delivery = 'next-model-call' }: Plan): Promise<Seen> {
  const { agent, clock, events } = stage();
  const heard: string[] = [];
  let steps = 0;
  const reports: Record<'planner' | 'worker', TurnReport<unknown>['status'] | undefined> = {
    planner: undefined,
    worker: undefined,
  };
  const [toPlanner, toWorker] = policies.map((onParentInterject): SubagentOptions => ({
    onChildInterrupted: 'contain',
    onParentInterject,
  }));
  const running = agent.runTurn(async (root) => {
    await root.tool(call('plan'), async (_plan, planning) => {
      const planned = await planning.subagent('planner', toPlanner).runTurn(async (planner) => {
        await planner.tool(call('work'), async (_work, working) => {
          const worked = await working.subagent('worker', toWorker).runTurn(async (worker) => {
            for (let step = 0; step < STEPS; step += 1) {
              steps += 1;
              await worker.model(async () => {
                await Promise.resolve();
                if (typedIn.includes(step)) agent.interject(`typed in ${String(step)}`, { delivery });
              });
              for (const { message } of worker.takeInterjections()) {
                heard.push(`worker in ${String(step)}: ${message}`);
              }
            }
          });
          reports.worker = worked.status;
        });
        for (const { message } of planner.takeInterjections()) heard.push(`planner: ${message}`);
      });
      reports.planner = planned.status;
    });
    for (const { message } of root.takeInterjections()) heard.push(`root: ${message}`);
  });
  await tick();
  await clock.advance(5_000);
  const root = await running;
  const delivered = events.filter(({ type }) => type === 'interjection-delivered').length;
  return { heard, steps, delivered, reports, root };
}

describe('S21 a message while a sub-agent is 150 steps deep', () => {
  it('S21 typed in any step, the innermost running turn gets it in that step, once', async () => {
    for (let step = 0; step < STEPS; step += 1) {
      const { heard, steps, delivered, root } = await nested({
        policies: [undefined, undefined],
        typedIn: [step],
      });
      expect(heard).toEqual([`worker in ${String(step)}: typed in ${String(step)}`]);
      expect([steps, delivered, root.status, root.undelivered]).toEqual([STEPS, 1, 'completed', []]);
    }
  });

  it.each(['now', 'after-current-tool', 'next-model-call'] as const)(
    'S21 one in every step, and no step is lost or doubled: %s',
    async (delivery) => {
      const typedIn = Array.from({ length: STEPS }, (_, step) => step);
      const { heard, steps, delivered, root } = await nested({
        policies: ['forward', 'forward'],
        typedIn,
        delivery,
      });
      expect(heard).toEqual(typedIn.map((step) => `worker in ${String(step)}: typed in ${String(step)}`));
      expect([steps, delivered, root.undelivered]).toEqual([STEPS, STEPS, []]);
    },
  );

  it('S21 meant for after the turn, it comes back from the top and interrupts nobody', async () => {
    const { heard, root } = await nested({ policies: ['forward', 'forward'], typedIn: [75], delivery: 'after-turn' });
    expect(heard).toEqual([]);
    expect(root.undelivered.map(({ message, status }) => [message, status])).toEqual([['typed in 75', 'undelivered']]);
  });

  /** What each pair of policies comes to: who hears it, how far the worker gets, what becomes of the two. */
  const table: readonly [Policy, Policy, who: string, deep: 'all' | 'cut', planner: string, worker: string][] = [
    ['forward', 'forward', 'worker', 'all', 'completed', 'completed'],
    ['forward', 'finish', 'planner', 'all', 'completed', 'completed'],
    ['forward', 'stop', 'planner', 'cut', 'completed', 'cancelled'],
    ['finish', 'forward', 'root', 'all', 'completed', 'completed'],
    ['finish', 'finish', 'root', 'all', 'completed', 'completed'],
    ['finish', 'stop', 'root', 'all', 'completed', 'completed'],
    ['stop', 'forward', 'root', 'cut', 'cancelled', 'cancelled'],
    ['stop', 'finish', 'root', 'cut', 'cancelled', 'cancelled'],
    ['stop', 'stop', 'root', 'cut', 'cancelled', 'cancelled'],
  ];

  it.each(table)('S21 %s, then %s: the %s gets it, once', async (outer, inner, who, deep, planner, worker) => {
    for (const step of [0, 75, STEPS - 1]) {
      const { heard, steps, delivered, reports, root } = await nested({ policies: [outer, inner], typedIn: [step] });
      const text = `typed in ${String(step)}`;
      expect(heard).toEqual([who === 'worker' ? `worker in ${String(step)}: ${text}` : `${who}: ${text}`]);
      expect(steps).toBe(deep === 'all' ? STEPS : step + 1);
      expect(delivered).toBe(1);
      expect(reports).toEqual({ planner, worker });
      expect([root.status, root.undelivered]).toEqual(['completed', []]);
    }
  });
});
