/** G18: a limit that does not pass. */
import { CancellationTokenSource } from 'desist';
import { bytesEach, compare, keep } from '../harness.ts';
import { leastArm, leastDisarm, leastSource } from '../limits/least.ts';
import type { Workload } from '../workload.ts';

const HOUR_MS = 3_600_000;
const noop = () => {};

export const workload: Workload = {
  id: 'G18',
  title: 'Arm and disarm a deadline',
  async measure(effort) {
    const source = new CancellationTokenSource();
    const session = new CancellationTokenSource().token;
    const timings = await compare(effort, {
      ours: {
        run: (count) => {
          for (let i = 0; i < count; i++) {
            source.cancelAfter(HOUR_MS);
            source.cancelAfter(Infinity);
          }
        },
      },
      native: {
        run: (count) => {
          for (let i = 0; i < count; i++) keep(AbortSignal.timeout(HOUR_MS));
        },
        most: 50_000,
      },
      timer: {
        run: (count) => {
          for (let i = 0; i < count; i++) clearTimeout(setTimeout(noop, HOUR_MS));
        },
      },
      least: {
        run: (count) => {
          const { token } = leastSource();
          for (let i = 0; i < count; i++) leastDisarm(leastArm(token, HOUR_MS));
        },
      },
      clock: {
        run: (count) => {
          for (let i = 0; i < count; i++) keep(performance.now());
        },
      },
      child: {
        run: (count) => {
          for (let i = 0; i < count; i++) {
            const child = session.child({ timeoutMs: HOUR_MS });
            keep(child);
            child.release();
          }
        },
      },
    });
    const armed = await bytesEach(() => session.child({ timeoutMs: HOUR_MS }), 50_000);
    const idle = await bytesEach(() => session.child(), 50_000);
    return [
      {
        what: 'AbortSignal.timeout / arm + disarm',
        value: timings.ratio('native', 'ours'),
        unit: 'x',
        atLeast: { node24: 12, node20: 45 },
        floor: { node24: 5.5, node20: 20 },
      },
      {
        what: 'setTimeout + clearTimeout / arm + disarm',
        value: timings.ratio('timer', 'ours'),
        unit: 'x',
        atLeast: { node24: 3, node20: 2.2 },
        floor: 1.1,
      },
      {
        what: 'AbortSignal.timeout / child with a deadline + release',
        value: timings.ratio('native', 'child'),
        unit: 'x',
      },
      // A deadline is an instant, and asking the clock for one is most of arming it.
      { what: 'limit: AbortSignal.timeout / the least', value: timings.ratio('native', 'least'), unit: 'x' },
      { what: 'limit: setTimeout + clearTimeout / the least', value: timings.ratio('timer', 'least'), unit: 'x' },
      { what: 'limit: setTimeout + clearTimeout / one clock read', value: timings.ratio('timer', 'clock'), unit: 'x' },
      { what: 'heap of one armed deadline', value: armed - idle, unit: 'bytes', atMost: 90, floor: 200 },
    ];
  },
};
