/** G14: a promise raced against a token. */
import { CancellationTokenSource, raceCancellation } from 'desist';
import { raceSignal } from 'race-signal';
import { compare, type Contender } from '../harness.ts';
import { leastListenedRace, leastRace, leastSource } from '../limits/least.ts';
import { raceBySignal } from '../peers/native.ts';
import type { Workload } from '../workload.ts';

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
    const least = leastSource().token;
    const timings = await compare(effort, {
      ours: race((promise) => raceCancellation(token, promise)),
      bare: race(leastRace),
      least: race((promise) => leastListenedRace(least, promise)),
      handWritten: race((promise) => raceBySignal(promise, signal)),
      raceSignal: race((promise) => raceSignal(promise, signal)),
    });
    return [
      { what: 'limit: race-signal / bare promise wrapper', value: timings.ratio('raceSignal', 'bare'), unit: 'x' },
      { what: 'limit: the least / bare promise wrapper', value: timings.ratio('least', 'bare'), unit: 'x' },
      { what: 'limit: hand-written signal race / the least', value: timings.ratio('handWritten', 'least'), unit: 'x' },
      {
        what: 'raceCancellation / bare promise wrapper',
        value: timings.ratio('ours', 'bare'),
        unit: 'x',
        atMost: { node24: 1.2, node20: 1.15 },
        floor: 1.65,
      },
      {
        what: 'hand-written signal race / raceCancellation',
        value: timings.ratio('handWritten', 'ours'),
        unit: 'x',
        atLeast: { node24: 3, node20: 3.5 },
        floor: { node24: 2.3, node20: 2.9 },
      },
      {
        what: 'race-signal / raceCancellation',
        value: timings.ratio('raceSignal', 'ours'),
        unit: 'x',
        atLeast: { node24: 5.5, node20: 6.5 },
        floor: { node24: 5, node20: 5.1 },
      },
    ];
  },
};
