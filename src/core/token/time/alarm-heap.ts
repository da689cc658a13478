/**
 * All deadlines of a clock in one heap, behind one timer of the clock.
 *
 * Invariants: an alarm is set exactly while `index >= 0`; unless it is alone it stands at `heap[index]`; the clock's
 * timer, if armed, is due no later than the earliest alarm.
 *
 * The timer is not moved when its alarm is disarmed: arming and disarming one limit per tool call would otherwise cost
 * a native timer each. It fires early, finds nothing due, and goes to the next alarm or to rest. It never keeps the
 * process alive.
 *
 * Prior art: Go's per-P timer heap, libuv's heap; Node's lazy timer lists.
 *
 * @module
 */
import { shared } from '../../foundation/brand.ts';
import { canShareTimers, isSystemClock, systemClock, type Clock } from '../../foundation/clock.ts';
import type { Releasable } from '../../foundation/disposable.ts';
import { LAYOUT } from '../tree/layout.ts';

let made = 0;

/** The place of a new alarm among all of this copy. */
export function nextOrder(): number {
  return ++made;
}

/** What `Alarm.index` says of one that stands in no heap: no heap is that long. */
const ALONE = 0x3fffffff;

/** One entry of the heap. */
export interface Alarm {
  /** Epoch milliseconds of the clock it is set on. */
  readonly at: number;
  /** Its place in the heap, kept here; −1 while it is not set, as when it is made. */
  index: number;
  /** Of two at the same instant, the lower one rings first; see {@link nextOrder}. */
  readonly order: number;
  /** Called once, when the instant has come; must not throw. */
  ring(): void;
}

function before(a: Alarm, b: Alarm): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

class AlarmQueue {
  readonly #clock: Clock;
  readonly #heap: Alarm[] = [];
  #timer: Releasable | undefined;
  #timerAt = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(alarm: Alarm): void {
    this.#siftUp(alarm, this.#heap.length);
    // Rare, so the clock is asked again rather than its answer handed down on every arming.
    if (alarm.at < this.#timerAt) this.#schedule(alarm.at, this.#clock.now());
  }

  remove(alarm: Alarm): void {
    const index = alarm.index;
    const last = this.#heap.pop() as Alarm;
    if (last !== alarm) {
      // Only one of the two moves anything.
      this.#siftUp(last, index);
      this.#siftDown(last, last.index);
    }
    alarm.index = -1;
    // A virtual clock counts its timers, and a browser keeps none for nothing; the computer's is left to run out.
    if (this.#heap.length === 0 && !isSystemClock(this.#clock)) this.#disarm();
  }

  #disarm(): void {
    this.#timer?.release();
    this.#timer = undefined;
    this.#timerAt = Infinity;
  }

  #schedule(at: number, now: number): void {
    this.#timer?.release();
    // One that is late already stands for all that are.
    this.#timerAt = Math.max(at, now);
    this.#timer = this.#clock.setTimer(
      () => {
        this.#fire();
      },
      Math.max(0, at - now),
      { ref: false },
    );
  }

  #fire(): void {
    const now = this.#clock.now();
    // What the timer was not armed for waits for one of its own: another timer of the clock may have been due before it.
    const due = Math.min(this.#timerAt, now);
    this.#timer = undefined;
    this.#timerAt = Infinity;
    for (let alarm = this.#heap[0]; alarm !== undefined && alarm.at <= due; alarm = this.#heap[0]) {
      this.remove(alarm);
      alarm.ring();
    }
    const next = this.#heap[0];
    // A callback may have armed the timer anew.
    if (next !== undefined && next.at < this.#timerAt) this.#schedule(next.at, now);
  }

  #siftUp(alarm: Alarm, from: number): void {
    const heap = this.#heap;
    let index = from;
    while (index > 0) {
      const up = (index - 1) >> 1;
      const parent = heap[up] as Alarm;
      if (!before(alarm, parent)) break;
      heap[index] = parent;
      parent.index = index;
      index = up;
    }
    heap[index] = alarm;
    alarm.index = index;
  }

  #siftDown(alarm: Alarm, from: number): void {
    const heap = this.#heap;
    let index = from;
    for (;;) {
      let down = 2 * index + 1;
      if (down >= heap.length) break;
      if (down + 1 < heap.length && before(heap[down + 1] as Alarm, heap[down] as Alarm)) down++;
      const child = heap[down] as Alarm;
      if (!before(child, alarm)) break;
      heap[index] = child;
      child.index = index;
      index = down;
    }
    heap[index] = alarm;
    alarm.index = index;
  }
}

interface Queues {
  readonly system: AlarmQueue;
  readonly others: WeakMap<Clock, AlarmQueue>;
  /** Alarms that stand in no heap, with the timer each has for itself. */
  readonly alone: WeakMap<Alarm, Releasable>;
}

/** Shared by all copies of the package in the process: one of them may have to disarm what another armed. */
const queues: Queues = /* @__PURE__ */ shared<Queues>(
  'deadlines',
  LAYOUT,
  () => ({ system: new AlarmQueue(systemClock), others: new WeakMap(), alone: new WeakMap() }),
  ({ system, others, alone }) =>
    typeof system?.add === 'function' && typeof others?.get === 'function' && typeof alone?.get === 'function',
);

/** Every copy has a system clock of its own, and all of them are the computer's. */
function queueOf(clock: Clock): AlarmQueue {
  if (isSystemClock(clock)) return queues.system;
  let queue = queues.others.get(clock);
  if (queue === undefined) {
    queue = new AlarmQueue(clock);
    queues.others.set(clock, queue);
  }
  return queue;
}

/** A timer for this alarm and no other, where timers of the host do not last. */
function setAlone(alarm: Alarm): void {
  alarm.index = ALONE;
  const timer = systemClock.setTimer(
    () => {
      clearAlarm(systemClock, alarm);
      alarm.ring();
    },
    Math.max(0, alarm.at - systemClock.now()),
    { ref: false },
  );
  queues.alone.set(alarm, timer);
}

/**
 * Lets an alarm ring once, not before its instant.
 *
 * @param clock Measures the instant; one that has passed is due at the next turn of the event loop.
 */
export function setAlarm(clock: Clock, alarm: Alarm): void {
  if (isSystemClock(clock) && !canShareTimers()) setAlone(alarm);
  else queueOf(clock).add(alarm);
}

/** Takes an alarm back; one that rang or was taken back is left alone. */
export function clearAlarm(clock: Clock, alarm: Alarm): void {
  if (alarm.index < 0) return;
  if (alarm.index !== ALONE) {
    queueOf(clock).remove(alarm);
    return;
  }
  queues.alone.get(alarm)?.release();
  queues.alone.delete(alarm);
  alarm.index = -1;
}
