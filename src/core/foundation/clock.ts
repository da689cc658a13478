/**
 * The only source of time in `core`: a port, and the system's implementation of it. Prior art: Kotlin's
 * `TestScheduler`, tokio's `time::pause`, Trio's `Clock` interface.
 *
 * @module
 */
import { show } from './check.ts';
import type { Releasable } from './disposable.ts';

/** Options of {@link Clock.setTimer}. */
export interface TimerOptions {
  /** Whether the pending timer keeps the process alive. Deadlines say `false`, waits that somebody asked for say `true`. */
  readonly ref: boolean;
}

/**
 * Tells the time and wakes people up. Implement it to bring a clock of your own; `desist/testing` has a virtual one.
 *
 * A token hands its clock on to its descendants and to every function that takes the token.
 *
 * @example A clock that runs ten times as fast
 * ```ts
 * import type { Clock } from 'desist'
 *
 * const start = performance.now()
 * const fast: Clock = {
 *   now: () => performance.timeOrigin + start + (performance.now() - start) * 10,
 *   setTimer(fn, ms) {
 *     const timer = setTimeout(fn, ms / 10)
 *     return { release: () => clearTimeout(timer) }
 *   },
 * }
 * fast.now() >= performance.timeOrigin // => true
 * ```
 * @source Trio `trio.abc.Clock`
 * @since 0.1.0
 */
export interface Clock {
  /** Milliseconds since the Unix epoch; never goes backwards, also when somebody sets the wall clock. */
  now(): number;
  /**
   * Calls `fn` once, not before `ms` milliseconds have passed.
   *
   * @param fn Called with nothing; must not throw.
   * @param ms Milliseconds from now, finite, 0 or more; longer than 2³¹−1 is allowed.
   * @param options Whether the timer keeps the process alive.
   * @returns A handle whose `release()` disarms the timer.
   */
  setTimer(fn: () => void, ms: number, options: TimerOptions): Releasable;
}

/** The longest delay that every engine's `setTimeout` honours; longer ones fire at once. */
const LONGEST_TIMEOUT_MS = 2_147_483_647;

interface HostTimer {
  unref?(): void;
}

interface Host {
  readonly setTimeout: (fn: () => void, ms: number) => HostTimer | number;
  readonly clearTimeout: (timer: HostTimer | number | undefined) => void;
  readonly Date: { now(): number };
  readonly navigator?: { readonly userAgent?: unknown };
}

/** Read through `globalThis` on each call, so that a host or a test that replaces the timers later is obeyed. */
const host = globalThis as unknown as Host;

/** What stood there when the package was loaded: by these a test's fakes are noticed. */
const loaded = /* @__PURE__ */ hostAtLoad();

function hostAtLoad(): Pick<Host, 'setTimeout' | 'Date'> & { readonly perRequest: boolean } {
  const { setTimeout, Date, navigator } = host;
  // workerd drops the timers of a request when the request ends.
  return { setTimeout, Date, perRequest: navigator?.userAgent === 'Cloudflare-Workers' };
}

/**
 * Whether one timer of the host may serve several deadlines. Not where it belongs to a request (workerd), and not where a
 * test has replaced the timers: it would vanish with the request or the test, and the other deadlines with it.
 */
export function canShareTimers(): boolean {
  return host.setTimeout === loaded.setTimeout && !loaded.perRequest;
}

/** One timer of the host after the other, where the wait is longer than one of them can be. */
function startTimer(fn: () => void, ms: number, { ref }: TimerOptions): Releasable {
  let left = ms;
  let timer: HostTimer | number | undefined;
  // A timer is disarmed by those who armed it, also when a test has put others in their place since.
  const { clearTimeout } = host;
  const arm = (): void => {
    const chunk = Math.min(left, LONGEST_TIMEOUT_MS);
    left -= chunk;
    timer = host.setTimeout(left > 0 ? arm : fn, chunk);
    // A browser's timer is a number and holds nothing open.
    if (!ref && typeof timer === 'object') timer.unref?.();
  };
  arm();
  return {
    release: () => {
      clearTimeout(timer);
    },
  };
}

/** Read once: the getter takes longer than the rest of `now()`. */
const origin = /* @__PURE__ */ timeOrigin();

function timeOrigin(): number {
  return performance.timeOrigin;
}

/**
 * Now, by the computer's clock. Apart from the clock's timers, so that a bundle of an error does not hold those. A test that
 * replaces the timers and `Date` moves time itself, and may leave `performance` alone (`node:test`).
 */
export function systemNow(): number {
  if (host.setTimeout !== loaded.setTimeout && host.Date !== loaded.Date) return host.Date.now();
  return origin + performance.now();
}

const systemBrand: unique symbol = Symbol.for('desist.systemClock') as never;

/** Whether this is the computer's clock, of any copy of the package. */
export function isSystemClock(clock: Clock): boolean {
  return (clock as { readonly [systemBrand]?: true })[systemBrand] === true;
}

/**
 * The computer's clock: epoch milliseconds counted monotonically from the start of the process, and the host's timers.
 * Under the fake timers of a test it goes by the faked `Date`.
 */
export const systemClock: Clock = /* @__PURE__ */ Object.defineProperty(
  { now: systemNow, setTimer: startTimer },
  systemBrand,
  // Not enumerable: a clock that is made by spreading this one is another clock.
  { value: true },
);

/** Refuses anything but a clock. */
export function requireClock(value: unknown): void {
  const clock = value as Partial<Clock> | null;
  if (typeof clock?.now !== 'function' || typeof clock.setTimer !== 'function') {
    throw new TypeError(`clock must have now() and setTimer(), got ${show(value)}`);
  }
}
