/** G7: every other library at registering, children, and children with a callback. */
import { CancellationTokenSource } from 'desist';
import { compare, keep, type Contender } from '../harness.ts';
import { libraries, type Peer } from '../peers/libraries.ts';
import type { Row, Workload } from '../workload.ts';

const noop = () => {};

function ours(): Peer {
  const { token } = new CancellationTokenSource();
  return {
    register: (count) => {
      for (let i = 0; i < count; i++) token.onCancelled(noop).unregister();
    },
    child: (count) => {
      for (let i = 0; i < count; i++) {
        const child = token.child();
        keep(child.token);
        child.release();
      }
    },
    childWithCallback: (count) => {
      for (let i = 0; i < count; i++) {
        const child = token.child();
        keep(child.token.onCancelled(noop));
        child.release();
      }
    },
  };
}

const jobs = {
  register: 'register + unregister',
  child: 'child + release',
  childWithCallback: 'child + callback + release',
} as const satisfies Record<keyof Peer, string>;

export const workload: Workload = {
  id: 'G7',
  title: 'Every other library at the same',
  async measure(effort) {
    const rows: Row[] = [];
    for (const job of Object.keys(jobs) as (keyof typeof jobs)[]) {
      const contenders: Record<string, Contender> = { ours: { run: ours()[job] } };
      for (const [name, make] of Object.entries(libraries)) contenders[name] = { run: make()[job] };
      const timings = await compare(effort, contenders);
      for (const name of Object.keys(libraries)) {
        rows.push({
          what: `${name} / ours, ${jobs[job]}`,
          value: timings.ratio(name, 'ours'),
          unit: 'x',
          atLeast: { node24: 1.7, node20: 1.8 },
          floor: { node24: 1.7, node20: 1.2 },
        });
      }
    }
    return rows;
  },
};
