import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Clock } from '../../../../src/index.ts';
import { systemClock, type TimerOptions } from '../../../../src/core/foundation/clock.ts';
import { clearAlarm, nextOrder, setAlarm, type Alarm } from '../../../../src/core/token/time/alarm-heap.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

class Bell implements Alarm {
  readonly at: number;
  index = -1;
  readonly order = nextOrder();
  readonly ring: () => void;

  constructor(at: number, ring: () => void) {
    this.at = at;
    this.ring = ring;
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

/** A clock whose timers all come late, as while something keeps the event loop: each in its turn, when `run` lets them. */
class LateClock implements Clock {
  #now = 0;
  #timers: { readonly at: number; readonly fn: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  setTimer(fn: () => void, ms: number): ReturnType<Clock['setTimer']> {
    const timer = { at: this.#now + ms, fn };
    this.#timers.push(timer);
    return { release: () => void (this.#timers = this.#timers.filter((each) => each !== timer)) };
  }

  /** Time passes and no timer runs; then those that are due do. Returns how many turns that took. */
  run(ms: number): number {
    this.#now += ms;
    for (let turns = 0; ; turns += 1) {
      const due = this.#timers.filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at);
      if (due.length === 0) return turns;
      this.#timers = this.#timers.filter((each) => !due.includes(each));
      for (const { fn } of due) fn();
    }
  }
}

describe('alarms of a clock', () => {
  it('alarms of a clock do not ring before a timer that was due earlier, by one that is left of another alarm', () => {
    const clock = new LateClock();
    const rang: string[] = [];
    setAlarm(clock, new Bell(1_000, () => undefined));
    const gone = new Bell(30, () => void rang.push('gone'));
    setAlarm(clock, gone);
    clearAlarm(clock, gone);
    clock.run(20);
    setAlarm(clock, new Bell(50, () => void rang.push('limit')));
    clock.setTimer(() => void rang.push('timer'), 15);
    clock.run(60);
    expect(rang).toEqual(['timer', 'limit']);
  });

  it('alarms of a clock that are all late ring in two turns at most, in their order', () => {
    const clock = new LateClock();
    const rang: number[] = [];
    const instants = Array.from({ length: 100 }, (_, at) => at + 1);
    for (const at of instants) setAlarm(clock, new Bell(at, () => void rang.push(at)));
    expect(clock.run(200)).toBeLessThanOrEqual(2);
    expect(rang).toEqual(instants);
  });

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
  /** Its timers by hand: replacing the host’s would be a test’s fakes, which are not shared. */
  const timers: { readonly fire: () => void; readonly ms: number }[] = [];
  let now = systemClock.now();

  beforeEach(() => {
    // Later than whatever timer this process has armed in earnest.
    now += 1e9;
    timers.length = 0;
    vi.spyOn(systemClock, 'now').mockImplementation(() => now);
    vi.spyOn(systemClock, 'setTimer').mockImplementation((fire, ms) => {
      timers.push({ fire, ms });
      return { release: () => undefined };
    });
  });
  afterEach(() => {
    now += 1e8;
    timers.at(-1)?.fire();
    vi.restoreAllMocks();
  });

  it('alarms of the system’s clock arm one timer for thousands of calls that end in time', () => {
    for (let i = 0; i < 1_000; i++) {
      const bell = new Bell(now + 5_000, () => {});
      setAlarm(systemClock, bell);
      clearAlarm(systemClock, bell);
    }
    expect(timers).toEqual([{ fire: expect.any(Function) as unknown, ms: 5_000 }]);
  });

  it('alarms of the system’s clock ring although the timer was armed for one that is gone', () => {
    const ring = vi.fn();
    const gone = new Bell(now + 10, () => {});
    setAlarm(systemClock, gone);
    setAlarm(systemClock, new Bell(now + 30, ring));
    clearAlarm(systemClock, gone);
    now += 10;
    timers[0]!.fire();
    expect(ring).not.toHaveBeenCalled();
    expect(timers.map(({ ms }) => ms)).toEqual([10, 20]);
    now += 20;
    timers[1]!.fire();
    expect(ring).toHaveBeenCalledTimes(1);
  });
});

describe('alarms under the fake timers of a test', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ['timers and Date, as node:test', ['setTimeout', 'clearTimeout', 'Date']],
    ['timers and performance', ['setTimeout', 'clearTimeout', 'performance']],
    ['everything', undefined],
  ] as const)('alarms under faked %s ring at their instants, one timer each', (_title, fakes) => {
    vi.useFakeTimers(fakes === undefined ? undefined : { toFake: [...fakes] });
    const rang: string[] = [];
    setAlarm(systemClock, new Bell(systemClock.now() + 1_000, () => void rang.push('first')));
    vi.advanceTimersByTime(900);
    setAlarm(systemClock, new Bell(systemClock.now() + 500, () => void rang.push('second')));
    const gone = new Bell(systemClock.now() + 1, () => void rang.push('gone'));
    setAlarm(systemClock, gone);
    clearAlarm(systemClock, gone);
    clearAlarm(systemClock, gone);
    expect(gone.index).toBe(-1);
    // A faked timer counts whole milliseconds.
    vi.advanceTimersByTime(98);
    expect(rang).toEqual([]);
    vi.advanceTimersByTime(2);
    expect(rang).toEqual(['first']);
    vi.advanceTimersByTime(400);
    expect(rang).toEqual(['first', 'second']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('alarms ring by their timer where a test has replaced nothing else', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const ring = vi.fn();
    setAlarm(systemClock, new Bell(systemClock.now() + 1_000, ring));
    vi.advanceTimersByTime(998);
    expect(ring).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2);
    expect(ring).toHaveBeenCalledTimes(1);
  });

  it('alarms under fake timers leave nothing that holds up those after it, nor those before', async () => {
    const rang: string[] = [];
    const before = new Bell(systemClock.now() + 5, () => void rang.push('before'));
    setAlarm(systemClock, before);
    vi.useFakeTimers();
    setAlarm(systemClock, new Bell(systemClock.now() + 1, () => void rang.push('lost with its test')));
    vi.useRealTimers();
    await new Promise<void>((resolve) => {
      setAlarm(systemClock, new Bell(systemClock.now() + 6, resolve));
    });
    expect(rang).toEqual(['before']);
  });
});
