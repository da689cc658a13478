import { fc, test } from '@fast-check/vitest';
import { expect, it } from 'vitest';
import { Queue } from '../../../../src/adapters/internal/stream/queue.ts';

test.prop([fc.array(fc.oneof(fc.integer(), fc.constant('shift'), fc.constant('clear')), { maxLength: 200 })])(
  'a queue does what an array does',
  (steps) => {
    const queue = new Queue<number>();
    const array: number[] = [];
    for (const step of steps) {
      if (step === 'shift') expect(queue.shift()).toBe(array.shift());
      else if (step === 'clear') {
        queue.clear();
        array.length = 0;
      } else expect(queue.push(step)).toBe(array.push(step));
      expect(queue.length).toBe(array.length);
    }
  },
);

it('a long queue is emptied in order, while it still grows', () => {
  const queue = new Queue<number>();
  for (let item = 0; item < 5000; item++) queue.push(item);
  for (let item = 0; item < 10_000; item++) {
    expect(queue.shift()).toBe(item);
    if (item < 5000) queue.push(item + 5000);
  }
  expect([queue.length, queue.shift()]).toEqual([0, undefined]);
});
