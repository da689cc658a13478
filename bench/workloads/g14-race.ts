/** G14: a promise raced against a token. */
import { CancellationTokenSource, raceCancellation } from 'desist';
import { raceSignal } from 'race-signal';
import { compare, type Contender } from '../harness.ts';
import { raceBySignal } from '../peers/native.ts';
import type { Workload } from '../workload.ts';

/** What the wrapper of a promise costs before it does anything. */
function bare<T>(promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    promise.then(
      (value) => resolve(value),
      (error: unknown) => reject(error),
    );
  });
}

const settled = Promise.resolve(1);

function race(wait: (promise: Promise<number>) => Promise<number>): Contender {
  return {
    run: async (count) => {
      for (let i = 0; i < count; i++) await wait(settled);
    },
  };
}

export const workload: Workload = {
  id: 'G14',
  title: 'Race a promise against a token',
  async measure(effort) {
    const { token } = new CancellationTokenSource();
    const { signal } = new AbortController();
    const timings = await compare(effort, {
      ours: race((promise) => raceCancellation(token, promise)),
      bare: race(bare),
      handWritten: race((promise) => raceBySignal(promise, signal)),
      raceSignal: race((promise) => raceSignal(promise, signal)),
    });
    return [
      {
        what: 'raceCancellation / bare promise wrapper',
        value: timings.ratio('ours', 'bare'),
        unit: 'x',
        atMost: { node24: 1.2, node20: 1.15 },
        floor: 1.8,
      },
      {
        what: 'hand-written signal race / raceCancellation',
        value: timings.ratio('handWritten', 'ours'),
        unit: 'x',
        atLeast: { node24: 3, node20: 3.5 },
        floor: 2.3,
      },
      {
        what: 'race-signal / raceCancellation',
        value: timings.ratio('raceSignal', 'ours'),
        unit: 'x',
        atLeast: { node24: 5.5, node20: 6.5 },
        floor: 4,
      },
    ];
  },
};
