import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { systemClock } from '../../../src/core/foundation/clock.ts';
import { CancellationTokenSource, type Clock } from '../../../src/index.ts';

const LONGEST = 2 ** 31 - 1;

describe('systemClock.now', () => {
  it('systemClock.now is epoch milliseconds that never go backwards', () => {
    let last = systemClock.now();
    expect(Math.abs(last - Date.now())).toBeLessThan(60_000);
    for (let i = 0; i < 10_000; i++) {
      const now = systemClock.now();
      expect(now).toBeGreaterThanOrEqual(last);
      last = now;
    }
  });

  it('systemClock.now does not follow a wall clock that somebody sets back', () => {
    const before = systemClock.now();
    vi.spyOn(Date, 'now').mockReturnValue(0);
    expect(systemClock.now()).toBeGreaterThanOrEqual(before);
    vi.restoreAllMocks();
  });

  it('systemClock.now goes by the faked Date where a test has replaced the timers as well', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 5_000 });
    expect(systemClock.now()).toBe(5_000);
    vi.advanceTimersByTime(250);
    expect(systemClock.now()).toBe(5_250);
    vi.useRealTimers();
    expect(systemClock.now()).toBeGreaterThan(1e12);
  });

  it('systemClock.now is its own while only Date is faked, or only the timers', () => {
    for (const toFake of [['Date'], ['setTimeout', 'clearTimeout']] as const) {
      vi.useFakeTimers({ toFake: [...toFake], now: 5_000 });
      expect(systemClock.now()).toBeGreaterThan(1e12);
      vi.useRealTimers();
    }
  });
});

describe("a clock that spreads the computer's", () => {
  it("a clock that spreads the computer's measures by its own members", () => {
    const armed: number[] = [];
    const clock: Clock = {
      ...systemClock,
      now: () => 1_000,
      setTimer: (_fn, ms) => {
        armed.push(ms);
        return { release: () => undefined };
      },
    };
    using source = new CancellationTokenSource({ clock, timeoutMs: 50 });
    expect(source.isCancelled).toBe(false);
    expect(armed).toEqual([50]);
  });
});

describe('systemClock.setTimer', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('systemClock.setTimer fires once, not before its time', () => {
    const fn = vi.fn();
    systemClock.setTimer(fn, 50, { ref: true });
    vi.advanceTimersByTime(49);
    expect(fn).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    vi.advanceTimersByTime(1_000);
    expect(fn).toHaveBeenCalledTimes(1);
    expect(fn).toHaveBeenCalledWith();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('systemClock.setTimer never fires in the same tick, also for 0 ms', () => {
    const fn = vi.fn();
    systemClock.setTimer(fn, 0, { ref: true });
    expect(fn).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(fn).toHaveBeenCalledTimes(1);
  });

  it.each([LONGEST, LONGEST + 1, 2 ** 32, 3 * LONGEST + 7])(
    'systemClock.setTimer waits all of %d ms, in pieces no engine cuts',
    (ms) => {
      const setTimeout = vi.spyOn(globalThis, 'setTimeout');
      const fn = vi.fn();
      systemClock.setTimer(fn, ms, { ref: false });
      vi.advanceTimersByTime(ms - 1);
      expect(fn).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      expect(fn).toHaveBeenCalledTimes(1);
      for (const [, delay] of setTimeout.mock.calls) expect(delay).toBeLessThanOrEqual(LONGEST);
      setTimeout.mockRestore();
    },
  );

  it('systemClock.setTimer is disarmed by release, before and between the pieces; releasing twice or late is harmless', () => {
    const fn = vi.fn();
    const short = systemClock.setTimer(fn, 10, { ref: true });
    const long = systemClock.setTimer(fn, LONGEST * 2, { ref: true });
    short.release();
    short.release();
    vi.advanceTimersByTime(LONGEST + 5);
    long.release();
    expect(vi.getTimerCount()).toBe(0);
    const done = systemClock.setTimer(fn, 1, { ref: true });
    vi.advanceTimersByTime(LONGEST * 3);
    expect(fn).toHaveBeenCalledTimes(1);
    done.release();
  });

  it('systemClock.setTimer is disarmed by those who armed it, also when the timers were replaced since', () => {
    const fn = vi.fn();
    const timer = systemClock.setTimer(fn, 10, { ref: true });
    const { clearTimeout } = globalThis;
    globalThis.clearTimeout = () => {
      throw new Error('cleared elsewhere');
    };
    timer.release();
    globalThis.clearTimeout = clearTimeout;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('systemClock.setTimer can be released from inside its own callback, and arm another', () => {
    const order: string[] = [];
    const timer = systemClock.setTimer(
      () => {
        order.push('first');
        timer.release();
        systemClock.setTimer(() => order.push('second'), 5, { ref: true });
      },
      5,
      { ref: true },
    );
    vi.advanceTimersByTime(5);
    expect(order).toEqual(['first']);
    vi.advanceTimersByTime(5);
    expect(order).toEqual(['first', 'second']);
  });
});

describe('what a timer keeps alive', () => {
  const host = globalThis as unknown as { setTimeout: unknown };
  const real = host.setTimeout;
  afterEach(() => {
    host.setTimeout = real;
  });

  it.each([
    [true, 0],
    [false, 1],
  ])('ref: %o takes %d timer off the event loop', (ref, count) => {
    const unref = vi.fn();
    host.setTimeout = () => ({ unref });
    systemClock.setTimer(() => undefined, 5, { ref }).release();
    expect(unref).toHaveBeenCalledTimes(count);
  });

  it.each([
    ['a number, as browsers have', 7],
    ['an object that knows no unref', {}],
  ])('the clock works where a timer is %s', (_title, timer) => {
    let fire = (): void => {};
    host.setTimeout = (fn: () => void) => {
      fire = fn;
      return timer;
    };
    const fn = vi.fn();
    systemClock.setTimer(fn, 5, { ref: false });
    fire();
    expect(fn).toHaveBeenCalledTimes(1);
  });
});
