/** W4–W6: what one whole turn costs: an empty one, one with a model and a tool call, one whose tool has a sub-agent. */
import { InterruptController, type Turn } from 'desist';
import { allocatedEach, compare, type Contender } from '../harness.ts';
import type { Row, Workload } from '../workload.ts';

interface Goals {
  readonly node24: number;
  readonly node20: number;
}

const answer = Promise.resolve('done');
const call = (): Promise<string> => answer;
const read = { id: 'call_1', name: 'read' };

function turns(body: (turn: Turn) => Promise<unknown>): Contender {
  const agent = new InterruptController({ name: 'agent' });
  return {
    run: async (count) => {
      for (let left = count; left > 0; left--) {
        const report = await agent.runTurn(body);
        if (report.status !== 'completed') throw new Error(report.status);
      }
    },
  };
}

const contenders = {
  empty: turns(call),
  calls: turns(async (turn) => {
    await turn.model(call);
    await turn.tool(read, call);
  }),
  subagent: turns(async (turn) => {
    await turn.model(call);
    await turn.tool(read, (_call, context) => context.subagent('helper').runTurn(call));
  }),
};

export const workload: Workload = {
  id: 'W4',
  title: 'One whole turn',
  async measure(effort) {
    const timings = await compare(effort, contenders);
    const rows = async (what: string, name: keyof typeof contenders, micros: Goals, kB: number): Promise<Row[]> => [
      {
        what,
        value: timings.nanos(name) / 1000,
        unit: 'µs',
        atMost: micros,
        floor: { node24: 3 * micros.node24, node20: 3 * micros.node20 },
      },
      {
        what: `${what}, allocated`,
        value: await allocatedEach(contenders[name]),
        unit: 'bytes',
        atMost: kB * 1000,
        floor: kB * 1250,
      },
    ];
    return [
      ...(await rows('empty', 'empty', { node24: 2.24, node20: 3.85 }, 7)),
      ...(await rows('a model and a tool call', 'calls', { node24: 4.24, node20: 5.95 }, 12)),
      ...(await rows('a model call, a tool with a sub-agent', 'subagent', { node24: 6.65, node20: 9.87 }, 20)),
    ];
  },
};
