/** G6: a child for one call with one callback, made and released. */
import { CancellationTokenSource } from 'desist';
import { compare, keep } from '../harness.ts';
import { leastChild, leastListen, leastRelease, leastSession } from '../limits/least.ts';
import { linkedController } from '../peers/native.ts';
import type { Workload } from '../workload.ts';

const noop = () => {};

export const workload: Workload = {
  id: 'G6',
  title: 'Create a child, register one callback, release',
  async measure(effort) {
    const session = new CancellationTokenSource().token;
    const bare = leastSession();
    const parent = new AbortController().signal;
    const timings = await compare(effort, {
      ours: {
        run: (count) => {
          for (let i = 0; i < count; i++) {
            const child = session.child();
            keep(child.token.onCancelled(noop));
            child.release();
          }
        },
      },
      least: {
        run: (count) => {
          for (let i = 0; i < count; i++) {
            const child = leastChild(bare);
            keep(leastListen(child.token, noop));
            leastRelease(child);
          }
        },
      },
      any: {
        run: (count) => {
          for (let i = 0; i < count; i++) {
            const signal = AbortSignal.any([parent, new AbortController().signal]);
            signal.addEventListener('abort', noop, { once: true });
            keep(signal);
            signal.removeEventListener('abort', noop);
          }
        },
      },
      linked: {
        run: (count) => {
          for (let i = 0; i < count; i++) {
            const { controller, unlink } = linkedController(parent);
            controller.signal.addEventListener('abort', noop, { once: true });
            keep(controller.signal);
            controller.signal.removeEventListener('abort', noop);
            unlink();
          }
        },
      },
    });
    return [
      {
        what: 'AbortSignal.any + listener / child + callback',
        value: timings.ratio('any', 'ours'),
        unit: 'x',
        atLeast: { node24: 70, node20: 120 },
        floor: { node24: 45, node20: 120 },
      },
      {
        what: 'controller + two listeners / child + callback',
        value: timings.ratio('linked', 'ours'),
        unit: 'x',
        atLeast: { node24: 11, node20: 70 },
        floor: { node24: 11, node20: 60 },
      },
      { what: 'limit: AbortSignal.any + listener / the least', value: timings.ratio('any', 'least'), unit: 'x' },
    ];
  },
};
