import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { systemClock, type Clock, type TimerOptions } from '../../../../src/index.ts';
import { Alarm, clearAlarm, setAlarm } from '../../../../src/core/token/time/alarm-heap.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

class Bell extends Alarm {
  readonly #ring: () => void;

  constructor(at: number, ring: () => void) {
    super(at);
    this.#ring = ring;
  }

  override ring(): void {
    this.#ring();
  }
}

/** Counts the timers it hands out. */
class CountingClock extends VirtualClock {
  readonly armed: TimerOptions[] = [];

  override setTimer(fn: () => void, ms: number, options: TimerOptions): ReturnType<Clock['setTimer']> {
    this.armed.push(options);
    return super.setTimer(fn, ms, options);
  }
}

describe('alarms of a clock', () => {
  it('alarms of a clock ring by instant, those of one instant in the order they were made', () => {
    const clock = new VirtualClock();
    const rang: number[] = [];
    const instants = [50, 10, 30, 10, 50, 20, 40, 10, 30, 0];
    const bells = instants.map((at, i) => new Bell(at, () => void rang.push(i)));
    for (const i of [4, 9, 0, 7, 2, 5, 8, 1, 6, 3]) setAlarm(clock, bells[i]!);
    expect(clock.pending).toBe(1);
    clock.advanceSync(100);
    expect(rang).toEqual(
      instants
        .map((at, i) => [at, i] as const)
        .sort((a, b) => a[0] - b[0] || a[1] - b[1])
        .map(([, i]) => i),
    );
    expect(clock.pending).toBe(0);
  });

  it('alarms of a clock ring at their instant, also when they were armed beside an earlier one', () => {
    const clock = new VirtualClock();
    const rang: string[] = [];
    for (const at of [30, 10, 20]) setAlarm(clock, new Bell(at, () => void rang.push(`${at}@${clock.now()}`)));
    clock.advanceSync(100);
    expect(rang).toEqual(['10@10', '20@20', '30@30']);
  });

  it('alarms of a clock can be taken back in any order; the heap stays a heap', () => {
    let random = 7;
    for (let round = 0; round < 50; round++) {
      const clock = new VirtualClock();
      const rang: number[] = [];
      const bells = Array.from({ length: 40 }, (_, i) => {
        random = (random * 48_271) % 2_147_483_647;
        return { i, bell: new Bell(random % 25, () => void rang.push(i)) };
      });
      for (const { bell } of bells) setAlarm(clock, bell);
      const kept = bells.filter(({ bell, i }) => {
        random = (random * 48_271) % 2_147_483_647;
        if (random % 3 === 0) return true;
        clearAlarm(clock, bells[(i * 7) % 40]!.bell);
        clearAlarm(clock, bell);
        clearAlarm(clock, bell);
        return false;
      });
      const left = kept.filter(({ bell }) => bell.index >= 0);
      clock.advanceSync(30);
      expect(rang).toEqual(left.sort((a, b) => a.bell.at - b.bell.at || a.i - b.i).map(({ i }) => i));
      expect(clock.pending).toBe(0);
      expect(bells.every(({ bell }) => bell.index === -1)).toBe(true);
    }
  });

  it('alarms of a clock share one timer, which never keeps the process alive', () => {
    const clock = new CountingClock();
    const bells = Array.from({ length: 1_000 }, (_, i) => new Bell(1_000 + i, () => {}));
    for (const bell of bells) setAlarm(clock, bell);
    expect(clock.armed).toEqual([{ ref: false }]);
    for (const bell of bells.toReversed()) clearAlarm(clock, bell);
    expect([clock.pending, clock.armed.length]).toEqual([0, 1]);
  });

  it('alarms of a clock may arm and take back others while they ring', () => {
    const clock = new VirtualClock();
    const rang: string[] = [];
    const first = new Bell(10, () => {
      rang.push('first');
      clearAlarm(clock, victim);
      setAlarm(clock, new Bell(10, () => void rang.push('due now')));
      setAlarm(clock, new Bell(15, () => void rang.push(`later@${clock.now()}`)));
    });
    const victim = new Bell(10, () => void rang.push('victim'));
    for (const bell of [victim, first]) setAlarm(clock, bell);
    setAlarm(clock, new Bell(20, () => void rang.push('last')));
    clock.advanceSync(10);
    expect(rang).toEqual(['first', 'due now']);
    clock.advanceSync(10);
    expect(rang).toEqual(['first', 'due now', 'later@15', 'last']);
  });

  it('alarms of a clock of two clocks do not know each other', () => {
    const [one, two] = [new VirtualClock(), new VirtualClock()];
    const rang: string[] = [];
    setAlarm(one, new Bell(10, () => void rang.push('one')));
    setAlarm(two, new Bell(5, () => void rang.push('two')));
    one.advanceSync(20);
    expect(rang).toEqual(['one']);
    two.advanceSync(20);
    expect(rang).toEqual(['one', 'two']);
  });

  it('alarms of a clock may be due already: then at the next turn, not at once', () => {
    const clock = new VirtualClock({ startAt: 100 });
    const ring = vi.fn();
    setAlarm(clock, new Bell(50, ring));
    expect(ring).not.toHaveBeenCalled();
    clock.advanceSync(0);
    expect(ring).toHaveBeenCalledTimes(1);
  });

  it('alarms of a clock survive a timer that fires early', () => {
    let now = 0;
    const pending: (() => void)[] = [];
    const hasty: Clock = {
      now: () => now,
      setTimer: (fn) => {
        pending.push(fn);
        return { release: () => {} };
      },
    };
    const ring = vi.fn();
    setAlarm(hasty, new Bell(10, ring));
    now = 9.5;
    pending.shift()!();
    expect(ring).not.toHaveBeenCalled();
    now = 10;
    pending.shift()!();
    expect(ring).toHaveBeenCalledTimes(1);
  });
});

describe('alarms of the system’s clock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.runAllTimers();
    vi.useRealTimers();
  });

  it('alarms of the system’s clock arm one timer for thousands of calls that end in time', () => {
    const setTimeout = vi.spyOn(globalThis, 'setTimeout');
    for (let i = 0; i < 1_000; i++) {
      const bell = new Bell(systemClock.now() + 5_000, () => {});
      setAlarm(systemClock, bell);
      clearAlarm(systemClock, bell);
    }
    expect(setTimeout.mock.calls.length).toBeLessThanOrEqual(1);
    setTimeout.mockRestore();
  });

  it('alarms of the system’s clock ring although the timer was armed for one that is gone', () => {
    const ring = vi.fn();
    const gone = new Bell(systemClock.now() + 10, () => {});
    setAlarm(systemClock, gone);
    setAlarm(systemClock, new Bell(systemClock.now() + 30, ring));
    clearAlarm(systemClock, gone);
    vi.advanceTimersByTime(29);
    expect(ring).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2);
    expect(ring).toHaveBeenCalledTimes(1);
  });
});
