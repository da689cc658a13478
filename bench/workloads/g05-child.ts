/** G5: a child for one call, made and released. */
import { CancellationTokenSource, type CancellationToken } from 'desist';
import { compare, keep, type Contender } from '../harness.ts';
import { leastChild, leastRelease, leastSession } from '../limits/least.ts';
import { linkedController } from '../peers/native.ts';
import type { Workload } from '../workload.ts';

function ours(parent: CancellationToken): Contender {
  return {
    run: (count) => {
      for (let i = 0; i < count; i++) {
        const child = parent.child();
        keep(child.token);
        child.release();
      }
    },
  };
}

function deep(levels: number): CancellationToken {
  let { token } = new CancellationTokenSource();
  for (let level = 1; level < levels; level++) token = token.child().token;
  return token;
}

export const workload: Workload = {
  id: 'G5',
  title: 'Create and release a child',
  async measure(effort) {
    const bare = leastSession();
    const parent = new AbortController().signal;
    const busy = new CancellationTokenSource().token;
    const siblings = Array.from({ length: 10_000 }, () => busy.child());
    for (const sibling of siblings) sibling.token.onCancelled(() => {});
    const timings = await compare(effort, {
      ours: ours(new CancellationTokenSource().token),
      least: {
        run: (count) => {
          for (let i = 0; i < count; i++) {
            const child = leastChild(bare);
            keep(child);
            leastRelease(child);
          }
        },
      },
      any: {
        run: (count) => {
          for (let i = 0; i < count; i++) keep(AbortSignal.any([parent, new AbortController().signal]));
        },
      },
      linked: {
        run: (count) => {
          for (let i = 0; i < count; i++) {
            const { controller, unlink } = linkedController(parent);
            keep(controller.signal);
            unlink();
          }
        },
      },
    });
    const shape = await compare(effort, {
      shallow: ours(new CancellationTokenSource().token),
      deep: ours(deep(1000)),
      busy: ours(busy),
    });
    keep(siblings);
    return [
      {
        what: 'AbortSignal.any([parent, own]) / child',
        value: timings.ratio('any', 'ours'),
        unit: 'x',
        atLeast: { node24: 50, node20: 300 },
        floor: { node24: 32, node20: 300 },
      },
      { what: 'limit: AbortSignal.any([parent, own]) / the least', value: timings.ratio('any', 'least'), unit: 'x' },
      {
        what: 'controller + listener / child',
        value: timings.ratio('linked', 'ours'),
        unit: 'x',
        atLeast: { node24: 15, node20: 100 },
      },
      { what: 'at 1,000 levels / at the top', value: shape.ratio('deep', 'shallow'), unit: 'x', atMost: 1.3 },
      { what: 'beside 10,000 / alone', value: shape.ratio('busy', 'shallow'), unit: 'x', atMost: 1.3 },
    ];
  },
};
