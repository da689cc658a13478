/**
 * G25: one source with many readers, and an emitter that was ahead of its reader. What was quadratic stood at 8 here.
 *
 * Readers in step wait for each other, so all of their promises live at once, and the garbage collector takes its part of
 * them: bare async loops in step, without any of ours, grow 1.4 to 1.5 on Node 20 and 0.9 to 1.1 on Node 24. Ours keep about
 * ten times as much alive for an item: 0.9 to 1.5 on a quiet machine, 1.9 to 3.1 beside twenty busy processes, and no more from
 * there to 12,000 readers (2.1 to 2.4 against 1,500). That is what the floors allow for. What we do ourselves is linear: with room
 * for all of them in the young generation (`--min-semi-space-size=256 --max-semi-space-size=256`) a read costs as much with
 * 3,000 readers as with 375, 0.8 to 1.0 on both.
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

/** The same by hand: bare loops in step, which no stream of ours could undercut. */
async function step(readers: number): Promise<number> {
  let open = (): void => undefined;
  let gate = Promise.resolve();
  let arrived = 0;
  const began = now();
  await Promise.all(
    Array.from({ length: readers }, async () => {
      for (let item = 0; item < ITEMS; item++) {
        keep(await Promise.resolve(item));
        if (++arrived % readers === 1) gate = new Promise((resolve) => (open = resolve));
        const last = gate;
        if (arrived % readers === 0) open();
        await last;
      }
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
    const [fewBare, manyBare] = [await medianOf(() => step(375)), await medianOf(() => step(3000))];
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
      { what: 'limit: bare loops, none more than one item ahead', value: manyBare / (8 * fewBare), unit: 'x' },
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
