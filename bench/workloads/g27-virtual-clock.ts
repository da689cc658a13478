/** G27: timers on a virtual clock, in numbers in which a test of a whole fleet arms them. */
import { VirtualClock } from 'desist/testing';
import type { Workload } from '../workload.ts';

const TIMERS = 100_000;
const noop = () => {};
const options = { ref: true };

/** Spreads instants without order, the same ones every time. */
const instantOf = (index: number): number => (index * 7919) % 99_991;

export const workload: Workload = {
  id: 'G27',
  title: '100,000 timers on a virtual clock',
  measure() {
    const clock = new VirtualClock();
    const start = performance.now();
    const timers = Array.from({ length: TIMERS }, (_, i) => clock.setTimer(noop, instantOf(i), options));
    const armed = performance.now();
    for (let i = 1; i < TIMERS; i += 2) timers[i]?.release();
    const released = performance.now();
    clock.advanceSync(TIMERS);
    const fired = performance.now();
    return Promise.resolve([
      { what: 'arm 100,000', value: armed - start, unit: 'ms', atMost: 200, floor: 1000 },
      { what: 'disarm every other one', value: released - armed, unit: 'ms', atMost: 200, floor: 1000 },
      { what: 'fire the rest', value: fired - released, unit: 'ms', atMost: 300, floor: 1500 },
    ]);
  },
};
