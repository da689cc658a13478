/**
 * G25: one source with many readers, and an emitter that was ahead of its reader. What was quadratic stood at 8 here; the
 * garbage collector takes its part of larger heaps, which the floor allows for.
 */
import { EventEmitter } from 'node:events';
import { cancellableIterable, sharedStream } from 'desist/async-iterator';
import { keep } from '../harness.ts';
import { medianOf, now } from '../growth.ts';
import type { Workload } from '../workload.ts';

const ITEMS = 20;

async function* numbers(count: number): AsyncGenerator<number, undefined> {
  for (let item = 0; item < count; item++) yield item;
}

/** Milliseconds for so many readers to read everything. */
async function share(readers: number, maxLag?: number): Promise<number> {
  const shared = sharedStream(null, numbers(ITEMS), { maxLag });
  const began = now();
  await Promise.all(
    Array.from({ length: readers }, async () => {
      for await (const item of shared.reader()) keep(item);
    }),
  );
  return now() - began;
}

/** Milliseconds to read so many events that had been emitted before the first read. */
async function burst(events: number): Promise<number> {
  const emitter = new EventEmitter();
  const items = cancellableIterable<number>(null, emitter, { event: 'item' });
  for (let item = 0; item < events; item++) emitter.emit('item', item);
  emitter.emit('end');
  const began = now();
  for await (const item of items) keep(item);
  return now() - began;
}

export const workload: Workload = {
  id: 'G25',
  title: 'Share a stream, and read a burst of events',
  async measure() {
    const [few, many] = [await medianOf(() => share(375)), await medianOf(() => share(3000))];
    const [fewNear, manyNear] = [await medianOf(() => share(375, 1)), await medianOf(() => share(3000, 1))];
    const [short, long] = [await medianOf(() => burst(25_000)), await medianOf(() => burst(200_000))];
    return [
      {
        what: 'time with 3,000 readers / 8 × time with 375',
        value: many / (8 * few),
        unit: 'x',
        atMost: 1.5,
        floor: 2,
      },
      {
        what: 'the same, none more than one item ahead',
        value: manyNear / (8 * fewNear),
        unit: 'x',
        atMost: 1.5,
        floor: 3,
      },
      { what: 'per item with 3,000 readers', value: many / ITEMS, unit: 'ms', atMost: 50 },
      {
        what: 'time of 200,000 queued events / 8 × time of 25,000',
        value: long / (8 * short),
        unit: 'x',
        atMost: 1.5,
        floor: 2,
      },
    ];
  },
};
