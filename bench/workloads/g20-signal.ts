/** G20: a native signal, and what it costs those who never ask for one. */
import { CancellationTokenSource } from 'desist';
import { bytesEach, compare, keep } from '../harness.ts';
import type { Workload } from '../workload.ts';

export const workload: Workload = {
  id: 'G20',
  title: 'A native signal when asked for, beyond a bare AbortController',
  async measure(effort) {
    const { token } = new CancellationTokenSource();
    const above = token.signal;
    const timings = await compare(effort, {
      // A native dependent of the signal above, which reads aborted before any event: what we could make instead.
      dependent: {
        run: (count) => {
          for (let i = 0; i < count; i++) {
            const child = token.child();
            keep(AbortSignal.any([above, new AbortController().signal]));
            child.release();
          }
        },
      },
      asked: {
        run: (count) => {
          for (let i = 0; i < count; i++) {
            const child = token.child();
            keep(child.signal);
            child.release();
          }
        },
      },
      unasked: {
        run: (count) => {
          for (let i = 0; i < count; i++) {
            const child = token.child();
            keep(child);
            child.release();
          }
        },
      },
      bare: {
        run: (count) => {
          for (let i = 0; i < count; i++) keep(new AbortController().signal);
        },
      },
    });
    const asked = await bytesEach(() => {
      const source = new CancellationTokenSource();
      if (source.signal.aborted) throw new Error('born aborted');
      return source;
    }, 50_000);
    const unasked = await bytesEach(() => new CancellationTokenSource(), 50_000);
    const bare = await bytesEach(() => {
      const controller = new AbortController();
      if (controller.signal.aborted) throw new Error('born aborted');
      return controller;
    }, 50_000);
    return [
      {
        what: 'time',
        value: timings.beyond('asked', 'unasked', 'bare'),
        unit: 'ns',
        atMost: 60,
        floor: { node24: 250, node20: 2000 },
      },
      { what: 'time, as a native dependent', value: timings.beyond('dependent', 'unasked', 'bare'), unit: 'ns' },
      { what: 'heap', value: asked - unasked - bare, unit: 'bytes', atMost: 250 },
      { what: 'heap of a source nobody asked', value: unasked, unit: 'bytes', atMost: 96 },
    ];
  },
};
