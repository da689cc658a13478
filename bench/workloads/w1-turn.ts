/** W1: what the turn machine adds to each call of an agent's loop. */
import { InterruptController, type Turn } from 'desist';
import { compare, keep, type Contender } from '../harness.ts';
import type { Workload } from '../workload.ts';

// A long turn of an agent; the ledger of a turn grows with it.
const CALLS_PER_TURN = 50;

const answer = Promise.resolve('done');
const call = (): Promise<string> => answer;

function turns(step: (turn: Turn, index: number) => Promise<unknown>): Contender {
  const agent = new InterruptController({ name: 'agent' });
  return {
    run: async (count) => {
      for (let left = count; left > 0; left -= CALLS_PER_TURN) {
        const report = await agent.runTurn(async (turn) => {
          for (let i = 0; i < Math.min(left, CALLS_PER_TURN); i++) await step(turn, i);
        });
        if (report.status !== 'completed') throw new Error(report.status);
      }
    },
  };
}

export const workload: Workload = {
  id: 'W1',
  title: 'The turn machine, per call of a loop',
  async measure(effort) {
    const timings = await compare(effort, {
      bare: {
        run: async (count) => {
          for (let i = 0; i < count; i++) keep(await call());
        },
      },
      model: turns((turn) => turn.model(call)),
      tool: turns((turn, index) => turn.tool({ id: `call_${String(index)}`, name: 'read' }, call)),
    });
    const micros = (name: 'model' | 'tool') => timings.beyond(name, 'bare') / 1000;
    return [
      { what: 'a model call, beyond a bare await', value: micros('model'), unit: 'µs', atMost: 5 },
      { what: 'a tool call, beyond a bare await', value: micros('tool'), unit: 'µs', atMost: 5 },
    ];
  },
};
