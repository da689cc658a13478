/**
 * A clock that stands still until the test moves it: timers fire in order, at once, without waiting.
 *
 * Invariants: time never goes backwards; timers fire by instant, those of one instant in the order they were armed;
 * a timer armed while another fires still fires in the same `advance` if its instant lies within it; an `advance`
 * ends, with an error if timers go on re-arming themselves without time moving.
 * Prior art: Kotlin `TestCoroutineScheduler`, tokio `time::advance`, Trio `MockClock`.
 *
 * @module
 */
import { requireOptions, type OptionNames } from '../core/inside.ts';
import { setImmediate } from 'node:timers';

import type { Clock, Releasable } from '../index.ts';
import { TimerHeap, type VirtualTimer } from './timer-heap.ts';

/** Options of `new VirtualClock`. */
export interface VirtualClockOptions {
  /** What the clock shows first, in epoch milliseconds; 0 by default. */
  readonly startAt?: number | undefined;
}

/** Options of {@link VirtualClock.runAll}. */
export interface RunAllOptions {
  /** How many timers may fire before the run counts as endless; 10,000 by default. */
  readonly limit?: number | undefined;
}

/** How many timers that were armed at an instant may fire at it before `advance` calls that endless. */
const SAME_INSTANT_LIMIT = 100_000;

/** One turn of the event loop: every promise reaction that is due has run afterwards, however long the chain. */
function drainMicrotasks(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * Counts the timers that fire at the instant at which they were armed, and throws when that has no end. Timers that
 * were armed before do not count, however many fall due together.
 */
class BusyInstant {
  readonly #timers: TimerHeap;
  #at = -1;
  #count = 0;
  #firstOrder = 0;

  constructor(timers: TimerHeap) {
    this.#timers = timers;
  }

  fired({ at, fn, order }: VirtualTimer): void {
    if (at !== this.#at) {
      this.#at = at;
      this.#count = 0;
      this.#firstOrder = this.#timers.nextOrder;
    }
    if (order < this.#firstOrder || ++this.#count < SAME_INSTANT_LIMIT) return;
    const what = fn.name === '' ? `an unnamed callback, ${firstLine(fn)}` : fn.name;
    throw new RangeError(
      `advance() fired ${String(this.#count)} timers at ${String(at)} ms and more are due: time cannot move while ` +
        `a timer re-arms itself with 0 ms; the last one was ${what}`,
    );
  }
}

/** The start of a function's text, which is what an unnamed callback is known by. */
function firstLine(fn: () => void): string {
  return (String(fn).split('\n', 1)[0] ?? '').slice(0, 80);
}

/** Refuses what is not an amount of time. */
function requireTime(name: string, value: number): number {
  if (typeof value !== 'number') throw new TypeError(`${name} must be a number, got ${typeof value}`);
  if (!Number.isFinite(value) || value < 0)
    throw new RangeError(`${name} must be finite and 0 or more, got ${String(value)}`);
  return value;
}

const clockNames: OptionNames<VirtualClockOptions> = { startAt: 1 };

const runAllNames: OptionNames<RunAllOptions> = { limit: 1 };

/**
 * Time under the test's control. Give it to a source (`{ clock }`): every token below and every wait on them uses it.
 *
 * @cleanup Holds no timer of the host; forgetting it forgets everything armed on it.
 * @example A deadline, without waiting for it
 * ```ts
 * import { VirtualClock } from 'desist/testing'
 *
 * const clock = new VirtualClock()
 * let rang = false
 * clock.setTimer(() => { rang = true }, 60_000, { ref: true })
 * await clock.advance(59_999)
 * rang // => false
 * await clock.advance(1)
 * rang // => true
 * ```
 * @source Kotlin `TestCoroutineScheduler`; Trio `MockClock`
 * @since 0.1.0
 */
export class VirtualClock implements Clock {
  #now: number;
  readonly #timers = new TimerHeap();
  /** Advances wait for each other: two at once would fire each other's timers out of order. */
  #tail: Promise<unknown> = Promise.resolve();

  /**
   * @param options Where to start.
   * @throws TypeError – `startAt` is not a number. RangeError – it is negative or not finite.
   */
  constructor(options: VirtualClockOptions = {}) {
    requireOptions(options, clockNames);
    this.#now = requireTime('startAt', options.startAt ?? 0);
  }

  /** How many timers are armed. */
  get pending(): number {
    return this.#timers.size;
  }

  /** The instant of the earliest armed timer; `undefined` when there is none. */
  get nextAt(): number | undefined {
    return this.#timers.first?.at;
  }

  /** What the clock shows, in epoch milliseconds. */
  now(): number {
    return this.#now;
  }

  /**
   * Arms a timer; it fires inside `advance`, never by itself, also when `ms` is 0.
   *
   * @param fn Called with nothing.
   * @param ms Milliseconds from now, finite, 0 or more.
   * @param _options Part of the port; virtual time keeps no process alive.
   * @returns A handle whose `release()` disarms the timer.
   * @throws TypeError – `fn` is not a function, `ms` not a number. RangeError – `ms` is negative or not finite.
   */
  setTimer(fn: () => void, ms: number, _options: Parameters<Clock['setTimer']>[2]): Releasable {
    if (typeof fn !== 'function') throw new TypeError(`fn must be a function, got ${typeof fn}`);
    const timer = this.#timers.add(this.#now + requireTime('ms', ms), fn);
    return {
      release: () => {
        this.#timers.remove(timer);
      },
    };
  }

  /**
   * Moves time forward, fires what falls due, and lets promise reactions run before, between and after the timers.
   *
   * @param ms Milliseconds, finite, 0 or more; 0 fires what is due now.
   * @returns When everything due has fired and its reactions have run. Rejects with what a timer threw, and with a
   * RangeError that names the callback when 100,000 timers fired at the instant at which they were armed: something re-arms itself for ever.
   * @throws TypeError – `ms` is not a number. RangeError – it is negative or not finite.
   */
  advance(ms: number): Promise<void> {
    requireTime('ms', ms);
    return this.#inTurn(async () => {
      const target = this.#now + ms;
      const instant = new BusyInstant(this.#timers);
      await drainMicrotasks();
      for (let timer = this.#fireNext(target); timer !== undefined; timer = this.#fireNext(target)) {
        instant.fired(timer);
        await drainMicrotasks();
      }
      this.#moveTo(target);
    });
  }

  /**
   * As `advance`, but in one synchronous step: no promise reaction runs in between.
   *
   * @param ms Milliseconds, finite, 0 or more.
   * @throws TypeError – `ms` is not a number. RangeError – it is negative or not finite, or timers re-arm
   * themselves at one instant without end.
   */
  advanceSync(ms: number): void {
    const target = this.#now + requireTime('ms', ms);
    const instant = new BusyInstant(this.#timers);
    for (let timer = this.#fireNext(target); timer !== undefined; timer = this.#fireNext(target)) instant.fired(timer);
    this.#moveTo(target);
  }

  /**
   * Fires timers, and those they arm, until none is left.
   *
   * @param options When to give up.
   * @returns How many fired.
   * @throws RangeError – `limit` is no whole number from 0. As a rejection: `limit` timers fired and there are still more,
   * so something re-arms itself for ever.
   */
  runAll(options: RunAllOptions = {}): Promise<number> {
    requireOptions(options, runAllNames);
    const limit = options.limit ?? 10_000;
    if (!Number.isSafeInteger(limit) || limit < 0)
      throw new RangeError(`options.limit must be a whole number from 0, got ${String(limit)}`);
    return this.#inTurn(async () => {
      let fired = 0;
      await drainMicrotasks();
      while (this.#timers.size > 0) {
        if (fired === limit) throw new RangeError(`${String(limit)} timers fired and more are armed`);
        this.#fireNext(Infinity);
        fired += 1;
        await drainMicrotasks();
      }
      return fired;
    });
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(run);
    this.#tail = result.catch(() => undefined);
    return result;
  }

  /** Fires the earliest timer, if it is due at `target`. */
  #fireNext(target: number): VirtualTimer | undefined {
    const timer = this.#timers.first;
    if (timer === undefined || timer.at > target) return undefined;
    this.#timers.remove(timer);
    this.#moveTo(timer.at);
    timer.fn();
    return timer;
  }

  /** A timer that moved the clock itself may have passed the instant already. */
  #moveTo(at: number): void {
    if (at > this.#now) this.#now = at;
  }
}
