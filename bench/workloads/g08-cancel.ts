/** G8: a cancel that one callback hears. */
import { CancellationTokenSource } from 'desist';
import { compare, contender, keep } from '../harness.ts';
import { leastCancel, leastListen, leastSource } from '../limits/least.ts';
import type { Workload } from '../workload.ts';

const heard = { count: 0 };
const hear = () => {
  heard.count++;
};

export const workload: Workload = {
  id: 'G8',
  title: 'Cancel with one callback',
  async measure(effort) {
    const controllers = (count: number) =>
      Array.from({ length: count }, () => {
        const controller = new AbortController();
        controller.signal.addEventListener('abort', hear, { once: true });
        return controller;
      });
    const reason = new Error('stop');
    const timings = await compare(effort, {
      clock: {
        run: (count) => {
          for (let i = 0; i < count; i++) keep(performance.now());
        },
      },
      ours: contender({
        most: 5000,
        prepare: (count) =>
          Array.from({ length: count }, () => {
            const source = new CancellationTokenSource();
            source.token.onCancelled(hear);
            return source;
          }),
        run: (_, sources) => {
          for (const source of sources) source.cancel();
        },
      }),
      least: contender({
        most: 5000,
        prepare: (count) =>
          Array.from({ length: count }, () => {
            const source = leastSource();
            leastListen(source.token, hear);
            return source;
          }),
        run: (_, sources) => {
          for (const source of sources) leastCancel(source);
        },
      }),
      native: contender({
        most: 5000,
        prepare: controllers,
        run: (_, made) => {
          for (const controller of made) controller.abort();
        },
      }),
      nativeWithReason: contender({
        most: 5000,
        prepare: controllers,
        run: (_, made) => {
          for (const controller of made) controller.abort(reason);
        },
      }),
    });
    keep(heard);
    return [
      {
        what: 'abort() / cancel()',
        value: timings.ratio('native', 'ours'),
        unit: 'x',
        atLeast: { node24: 20, node20: 70 },
        floor: { node24: 15, node20: 30 },
      },
      { what: 'limit: abort() / the least', value: timings.ratio('native', 'least'), unit: 'x' },
      // A reason says when, and asking the clock is much of a cancel.
      { what: 'abort() / one clock read', value: timings.ratio('native', 'clock'), unit: 'x' },
      { what: 'abort(reason) / cancel()', value: timings.ratio('nativeWithReason', 'ours'), unit: 'x' },
    ];
  },
};
