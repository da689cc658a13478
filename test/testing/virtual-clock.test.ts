import { describe, expect, it } from 'vitest';

import { VirtualClock } from '../../src/testing/virtual-clock.ts';

const ref = { ref: true };

function armed(clock: VirtualClock, plan: Readonly<Record<string, number>>): string[] {
  const fired: string[] = [];
  for (const [name, ms] of Object.entries(plan)) {
    clock.setTimer(() => void fired.push(`${name}@${String(clock.now())}`), ms, ref);
  }
  return fired;
}

describe('VirtualClock', () => {
  it('VirtualClock stands still until it is moved, and starts where it is told', async () => {
    const clock = new VirtualClock({ startAt: 1_000 });
    expect(clock.now()).toBe(1_000);
    await clock.advance(250);
    expect(clock.now()).toBe(1_250);
    expect(new VirtualClock().now()).toBe(0);
  });

  it('VirtualClock fires by instant, and in arming order within one instant', async () => {
    const clock = new VirtualClock();
    const fired = armed(clock, { late: 30, first: 10, second: 10, between: 20, third: 10 });
    await clock.advance(30);
    expect(fired).toEqual(['first@10', 'second@10', 'third@10', 'between@20', 'late@30']);
    expect(clock.pending).toBe(0);
  });

  it('VirtualClock fires nothing early and shows the target afterwards', async () => {
    const clock = new VirtualClock();
    const fired = armed(clock, { a: 10 });
    await clock.advance(9);
    expect(fired).toEqual([]);
    expect(clock.nextAt).toBe(10);
    await clock.advance(2);
    expect(fired).toEqual(['a@10']);
    expect(clock.now()).toBe(11);
    expect(clock.nextAt).toBeUndefined();
  });

  it('VirtualClock fires a timer that was armed by a timer inside the advanced window', async () => {
    const clock = new VirtualClock();
    const fired: number[] = [];
    const tick = (): void => {
      fired.push(clock.now());
      clock.setTimer(tick, 10, ref);
    };
    clock.setTimer(tick, 10, ref);
    await clock.advance(35);
    expect(fired).toEqual([10, 20, 30]);
    expect(clock.pending).toBe(1);
  });

  it('VirtualClock runs promise reactions before, between and after the timers, however long the chain', async () => {
    const clock = new VirtualClock();
    const log: string[] = [];
    const chain = async (name: string): Promise<void> => {
      for (let i = 0; i < 50; i += 1) await Promise.resolve();
      log.push(name);
    };
    void chain('before').then(() => clock.setTimer(() => log.push('armed late'), 1, ref));
    clock.setTimer(() => void chain('after first'), 1, ref);
    clock.setTimer(() => void chain('after second'), 2, ref);
    await clock.advance(2);
    expect(log).toEqual(['before', 'after first', 'armed late', 'after second']);
  });

  it('VirtualClock advances in one synchronous step when asked to', () => {
    const clock = new VirtualClock();
    const fired = armed(clock, { a: 5, b: 6 });
    clock.advanceSync(5);
    expect(fired).toEqual(['a@5']);
    clock.advanceSync(0);
    expect(clock.now()).toBe(5);
    clock.advanceSync(1);
    expect(fired).toEqual(['a@5', 'b@6']);
  });

  it('VirtualClock lets advances wait for each other', async () => {
    const clock = new VirtualClock();
    const fired = armed(clock, { a: 10, b: 20 });
    await Promise.all([clock.advance(10), clock.advance(10)]);
    expect(fired).toEqual(['a@10', 'b@20']);
    expect(clock.now()).toBe(20);
  });

  it('VirtualClock never goes backwards, also when a timer advances the clock itself', async () => {
    const clock = new VirtualClock();
    clock.setTimer(() => clock.advanceSync(100), 10, ref);
    await clock.advance(20);
    expect(clock.now()).toBe(110);
  });

  it('VirtualClock disarms on release, twice is harmless, after firing too', async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    const gone = clock.setTimer(() => fired.push('gone'), 1, ref);
    const kept = clock.setTimer(() => fired.push('kept'), 1, ref);
    gone.release();
    gone.release();
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    kept.release();
    expect(fired).toEqual(['kept']);
  });

  it('VirtualClock runs everything, and says so when it would never end', async () => {
    const clock = new VirtualClock();
    armed(clock, { a: 1, b: 86_400_000 });
    await expect(clock.runAll()).resolves.toBe(2);
    expect(clock.now()).toBe(86_400_000);

    const again = (): void => void clock.setTimer(again, 1, ref);
    again();
    await expect(clock.runAll({ limit: 7 })).rejects.toThrow('7 timers fired and more are armed');
  });

  it.each([-1, Number.NaN, Infinity, 1.5, 'x'])('VirtualClock refuses to run everything with the limit %o', (limit) => {
    const clock = new VirtualClock();
    expect(() => clock.runAll({ limit: limit as number })).toThrow(
      new RangeError(`options.limit must be a whole number from 0, got ${String(limit)}`),
    );
  });

  it('VirtualClock says what keeps it busy when timers re-arm themselves at one instant without end', async () => {
    const clock = new VirtualClock();
    const again = (): void => void clock.setTimer(again, 0, ref);
    clock.setTimer(again, 5, ref);
    expect(() => clock.advanceSync(10)).toThrow(
      /fired 100000 timers at 5 ms and more are due.*the last one was again$/,
    );
    await expect(clock.advance(10)).rejects.toThrow(/timers at 5 ms.*again$/);

    const unnamed = new VirtualClock();
    const rearm = [(): void => void unnamed.setTimer(rearm[0] as () => void, 0, ref)];
    unnamed.setTimer(rearm[0] as () => void, 0, ref);
    expect(() => unnamed.advanceSync(0)).toThrow(
      /the last one was an unnamed callback, \(\) => void unnamed\.setTimer/,
    );
  });

  it('VirtualClock takes no offence at many instants, nor at many timers that fall due together', () => {
    const clock = new VirtualClock();
    let fired = 0;
    const tick = (): void => {
      fired += 1;
      clock.setTimer(tick, 1, ref);
    };
    clock.setTimer(tick, 1, ref);
    clock.advanceSync(150_000);
    expect(fired).toBe(150_000);
    for (let i = 0; i < 150_000; i += 1) clock.setTimer(() => (fired += 1), 5, ref);
    clock.advanceSync(5);
    expect(fired).toBe(300_005);
  });

  it('VirtualClock arms, fires and disarms 100,000 timers without looking at all of them each time', () => {
    const clock = new VirtualClock();
    let fired = 0;
    const timers = Array.from({ length: 100_000 }, (_, i) =>
      clock.setTimer(() => (fired += 1), (i * 7919) % 99_991, ref),
    );
    for (const [i, timer] of timers.entries()) if (i % 2 === 1) timer.release();
    expect(clock.pending).toBe(50_000);
    clock.advanceSync(100_000);
    expect(fired).toBe(50_000);
  });

  it('VirtualClock rejects with what a timer threw, and goes on afterwards', async () => {
    const clock = new VirtualClock();
    clock.setTimer(
      () => {
        throw new Error('bad timer');
      },
      1,
      ref,
    );
    const fired = armed(clock, { a: 2 });
    await expect(clock.advance(2)).rejects.toThrow('bad timer');
    await clock.advance(1);
    expect(fired).toEqual(['a@2']);
  });

  it.each([NaN, -1, Infinity])('VirtualClock refuses %s milliseconds', async (ms) => {
    const clock = new VirtualClock();
    expect(() => clock.advance(ms)).toThrow(RangeError);
    expect(() => clock.advanceSync(ms)).toThrow(RangeError);
    expect(() => clock.setTimer(() => undefined, ms, ref)).toThrow(`got ${String(ms)}`);
    expect(() => new VirtualClock({ startAt: ms })).toThrow('startAt');
  });

  it('VirtualClock refuses what is no number and what is no function', () => {
    const clock = new VirtualClock();
    expect(() => clock.advance('5' as never)).toThrow(TypeError);
    expect(() => clock.setTimer(5 as never, 1, ref)).toThrow(TypeError);
  });
});
