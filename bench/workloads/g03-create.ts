/** G3: making a source and its token. */
import { CancellationTokenSource } from 'desist';
import { compare, keep } from '../harness.ts';
import { leastSource } from '../limits/least.ts';
import type { Workload } from '../workload.ts';

export const workload: Workload = {
  id: 'G3',
  title: 'Create a source and its token',
  async measure(effort) {
    const timings = await compare(effort, {
      // The source is kept, not its token: of one that does not escape, the compiler makes only the token.
      ours: {
        run: (count) => {
          for (let i = 0; i < count; i++) keep(new CancellationTokenSource());
        },
      },
      native: {
        run: (count) => {
          for (let i = 0; i < count; i++) keep(new AbortController().signal);
        },
      },
      bare: {
        run: (count) => {
          for (let i = 0; i < count; i++) keep(leastSource());
        },
      },
    });
    return [
      {
        what: 'new AbortController().signal / create',
        value: timings.ratio('native', 'ours'),
        unit: 'x',
        atLeast: { node24: 1.7, node20: 100 },
        floor: { node24: 1.7, node20: 85 },
      },
      { what: 'create / two bare objects', value: timings.ratio('ours', 'bare'), unit: 'x', atMost: 1.1, floor: 1.25 },
    ];
  },
};
