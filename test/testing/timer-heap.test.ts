import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { TimerHeap, type VirtualTimer } from '../../src/testing/timer-heap.ts';

const nothing = (): void => undefined;

function drain(heap: TimerHeap): VirtualTimer[] {
  const order: VirtualTimer[] = [];
  for (let first = heap.first; first !== undefined; first = heap.first) {
    heap.remove(first);
    order.push(first);
  }
  return order;
}

describe('TimerHeap', () => {
  it('TimerHeap gives timers back by instant, then by arming order, whoever was disarmed in between', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9), fc.boolean()), { maxLength: 60 }), (plan) => {
        const heap = new TimerHeap();
        const armed = plan.map(([at]) => heap.add(at, nothing));
        const gone = armed.filter((_, index) => plan[index]?.[1] === true);
        for (const timer of gone) heap.remove(timer);
        const kept = armed.filter((timer) => !gone.includes(timer));
        expect(heap.size).toBe(kept.length);
        // A stable sort keeps the order of arming within one instant.
        expect(drain(heap)).toEqual([...kept].sort((one, other) => one.at - other.at));
      }),
    );
  });

  it('TimerHeap leaves a timer alone that is no longer armed', () => {
    const heap = new TimerHeap();
    const [first, second] = [heap.add(1, nothing), heap.add(2, nothing)];
    heap.remove(first);
    heap.remove(first);
    expect([heap.size, heap.first]).toEqual([1, second]);
  });
});
