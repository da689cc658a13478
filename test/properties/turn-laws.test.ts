/** The public kit on our own agent: random interruptions, and the laws that a book of its events holds it to. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { delay, InterruptController, type ToolContext, type Turn } from '../../src/index.ts';
import { interruptScript, playInterrupts, watchTurnLaws } from '../../src/testing/fast-check/index.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { propertyRuns } from '../support/property-runs.ts';

/** One agent that does everything at once, and what it has read. */
class Scene {
  readonly clock = new VirtualClock();
  readonly agent = new InterruptController({ clock: this.clock });
  readonly read: string[] = [];
  readonly ids: string[] = [];

  readonly body = async (turn: Turn<string>): Promise<void> => {
    for (let round = 0; round < 4 || turn.hasInterjections; round += 1) {
      const reply = await turn.model(({ token, readInterjections }) => {
        void readInterjections().length;
        return delay(token, 50);
      });
      this.read.push(...reply.delivered.map(({ message }) => message));
      const calls = ['quick', 'slow', 'deaf', 'delegates'].map((name) => ({ id: `${name} ${String(round)}`, name }));
      this.ids.push(...calls.map(({ id }) => id));
      await turn.tools(calls, ({ name }, context) => this.#tool(name, context));
    }
  };

  async #tool(name: string, { token, subagent }: ToolContext): Promise<unknown> {
    if (name === 'slow') return delay(token, 120);
    if (name === 'deaf')
      return new Promise((resolve) => void this.clock.setTimer(() => resolve('late'), 60, { ref: true }));
    if (name !== 'delegates') return 'done';
    const report = await subagent('helper').runTurn((turn) => turn.model(({ token: own }) => delay(own, 70)));
    return report.unwrap();
  }
}

describe('an agent under random interruptions', () => {
  it('an agent keeps the laws of turns whatever interrupts it, and each message is read, given back or withdrawn', async () => {
    await fc.assert(
      fc.asyncProperty(interruptScript(), async (script) => {
        const { agent, clock, body, read, ids } = new Scene();
        const laws = watchTurnLaws(agent);
        const running = agent.runTurn(body).then((report) => {
          laws.report(1, report);
          return report;
        });
        const sent = await playInterrupts(agent, script, { clock, callIds: () => ids });
        await clock.runAll();
        await running;
        expect(laws.close()).toEqual([]);
        expect(new Set(read).size).toBe(read.length);
        const delivered = sent.filter(({ status }) => status === 'delivered').map(({ message }) => message);
        expect([...read].sort()).toEqual([...delivered].sort());
        expect(sent.filter(({ status }) => status === 'queued')).toEqual([]);
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});
