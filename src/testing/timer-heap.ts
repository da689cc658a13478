/**
 * Armed timers in the order in which they fire, as a binary heap: arming, firing and disarming take logarithmic time.
 *
 * Invariants: no timer is earlier than its parent in the heap; `index` is the place of a timer, -1 when it is not armed.
 *
 * @module
 */

/** An armed timer. */
export interface VirtualTimer {
  readonly at: number;
  readonly fn: () => void;
  /** Decides among timers of one instant: the one armed first fires first. */
  readonly order: number;
  index: number;
}

function isBefore(one: VirtualTimer, other: VirtualTimer): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** The armed timers of one clock. */
export class TimerHeap {
  readonly #heap: VirtualTimer[] = [];
  #nextOrder = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** The order of the timer that is armed next. */
  get nextOrder(): number {
    return this.#nextOrder;
  }

  /** The timer that fires next. */
  get first(): VirtualTimer | undefined {
    return this.#heap[0];
  }

  /** Arms a timer. */
  add(at: number, fn: () => void): VirtualTimer {
    const timer = { at, fn, order: this.#nextOrder++, index: -1 };
    this.#rise(timer, this.#heap.length);
    return timer;
  }

  /** Disarms a timer; one that is not armed is left alone. */
  remove(timer: VirtualTimer): void {
    const { index } = timer;
    if (index === -1) return;
    timer.index = -1;
    const last = this.#heap.pop() as VirtualTimer;
    if (last === timer) return;
    // The one that fills the gap may belong above it or below it.
    this.#rise(last, index);
    this.#sink(last, last.index);
  }

  #rise(timer: VirtualTimer, from: number): void {
    let index = from;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = this.#heap[above] as VirtualTimer;
      if (!isBefore(timer, parent)) break;
      this.#place(parent, index);
      index = above;
    }
    this.#place(timer, index);
  }

  #sink(timer: VirtualTimer, from: number): void {
    let index = from;
    for (;;) {
      const left = this.#heap[2 * index + 1];
      const right = this.#heap[2 * index + 2];
      const child = right !== undefined && left !== undefined && isBefore(right, left) ? right : left;
      if (child === undefined || !isBefore(child, timer)) break;
      const below = child.index;
      this.#place(child, index);
      index = below;
    }
    this.#place(timer, index);
  }

  #place(timer: VirtualTimer, index: number): void {
    this.#heap[index] = timer;
    timer.index = index;
  }
}
