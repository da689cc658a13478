/** G13: children that nobody releases. */
import { getEventListeners } from 'node:events';
import { CancellationToken, CancellationTokenSource, raceCancellation } from 'desist';
import { settle } from '../harness.ts';
import type { Workload } from '../workload.ts';

const noop = () => {};

/** Bytes that many forgotten things leave behind, each: a leak is there every time, a page not given back is not. */
async function left(count: number, forget: () => void | Promise<unknown>): Promise<number> {
  // The first thousands fill caches that stay.
  for (let i = 0; i < 10_000; i++) await forget();
  const found: number[] = [];
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 3; i++) await settle();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < count; i++) {
      const pending = forget();
      if (pending !== undefined) await pending;
    }
    for (let i = 0; i < 3; i++) await settle();
    found.push((process.memoryUsage().heapUsed - before) / count);
  }
  return Math.max(0, Math.min(...found));
}

export const workload: Workload = {
  id: 'G13',
  title: 'Forgotten per-call children',
  async measure(effort) {
    const count = 1_000_000 * effort.scale;
    const session = new CancellationTokenSource();
    const { signal } = new AbortController();
    const foreign = CancellationToken.from(signal);
    const bytes = await left(count, () => {
      session.token.child();
    });
    const raced = await left(count, () => raceCancellation(session.token.child().token, Promise.resolve(1)));
    const below = await left(count, () => raceCancellation(foreign.child().token, Promise.resolve(1)));
    const released = await left(count, () => {
      const child = session.token.child();
      child.token.onCancelled(noop);
      child.release();
    });
    return [
      { what: `left by ${count.toLocaleString('en')} children, each`, value: bytes, unit: 'bytes', atMost: 1 },
      { what: 'the same, each raced against a promise', value: raced, unit: 'bytes', atMost: 1 },
      {
        what: 'the same, below a foreign signal',
        value: below,
        unit: 'bytes',
        atMost: 1,
        floor: { node24: 1, node20: 16 },
      },
      { what: 'left by children released with a callback, each', value: released, unit: 'bytes', atMost: 1 },
      {
        what: 'listeners left on that signal',
        value: getEventListeners(signal, 'abort').length,
        unit: 'count',
        atMost: 0,
      },
    ];
  },
};
