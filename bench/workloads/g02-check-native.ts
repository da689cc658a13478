/** G2: a check against the native one. */
import { CancellationTokenSource } from 'desist';
import { compare, keep, type Contender } from '../harness.ts';
import type { Workload } from '../workload.ts';

function native(signals: readonly AbortSignal[]): Contender {
  return {
    run: (count) => {
      let seen = 0;
      for (let i = 0; i < count; i++) if (signals[i & 7]!.aborted) seen++;
      keep(seen);
    },
  };
}

export const workload: Workload = {
  id: 'G2',
  title: 'Check against signal.aborted: eight rotating',
  async measure(effort) {
    const eight = Array.from({ length: 8 });
    const parent = new AbortController().signal;
    const session = new CancellationTokenSource().token;
    const roots = eight.map(() => new CancellationTokenSource().token);
    const records = eight.map(() => ({ stamp: 1 }));
    const children = eight.map(() => session.child().token);
    const timings = await compare(effort, {
      ours: {
        run: (count) => {
          let seen = 0;
          for (let i = 0; i < count; i++) if (roots[i & 7]!.isCancelled) seen++;
          keep(seen);
        },
      },
      linkedOurs: {
        run: (count) => {
          let seen = 0;
          for (let i = 0; i < count; i++) if (children[i & 7]!.isCancelled) seen++;
          keep(seen);
        },
      },
      // No check can cost less than the read of a field.
      field: {
        run: (count) => {
          let seen = 0;
          for (let i = 0; i < count; i++) if (records[i & 7]!.stamp !== 1) seen++;
          keep(seen);
        },
      },
      native: native(eight.map(() => new AbortController().signal)),
      linkedNative: native(eight.map(() => AbortSignal.any([parent, new AbortController().signal]))),
    });
    return [
      {
        what: 'signal.aborted / check',
        value: timings.ratio('native', 'ours'),
        unit: 'x',
        atLeast: { node24: 3, node20: 12 },
        floor: { node24: 1.2, node20: 9 },
      },
      { what: 'limit: signal.aborted / a bare field read', value: timings.ratio('native', 'field'), unit: 'x' },
      {
        what: 'aborted of AbortSignal.any / check of a child',
        value: timings.ratio('linkedNative', 'linkedOurs'),
        unit: 'x',
        atLeast: 12,
        floor: 9,
      },
    ];
  },
};
