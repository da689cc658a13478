import { describe, expect, it } from 'vitest';

import {
  StopLadder,
  lastLookMs,
  rungsOf,
  type StopTarget,
} from '../../../../src/adapters/internal/process/stop-ladder.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

describe('rungsOf', () => {
  it('spreads the polite signals over the grace, SIGKILL at its end', () => {
    expect(rungsOf(['SIGTERM', 'SIGKILL'], 1000)).toEqual([
      { signal: 'SIGTERM', afterMs: 0 },
      { signal: 'SIGKILL', afterMs: 1000 },
    ]);
    expect(rungsOf(['SIGINT', 'SIGTERM', 'SIGKILL'], 1000).map(({ afterMs }) => afterMs)).toEqual([0, 500, 1000]);
    expect(rungsOf(['SIGINT', 'SIGTERM'], 1000).map(({ afterMs }) => afterMs)).toEqual([0, 500]);
    expect(rungsOf(['SIGKILL'], 1000)).toEqual([{ signal: 'SIGKILL', afterMs: 0 }]);
    expect(rungsOf(['SIGTERM', 'SIGKILL'], 0).map(({ afterMs }) => afterMs)).toEqual([0, 0]);
  });

  it.each([
    ['SIGTERM', TypeError, 'stopSignals must be a list of signal names, got "SIGTERM"'],
    [['SIGNONSENSE'], TypeError, 'stopSignals must be a list of signal names, got an array of 1'],
    [[15], TypeError, 'stopSignals must be a list of signal names, got an array of 1'],
    [[], RangeError, 'stopSignals must name at least one signal, got an empty array'],
    [['SIGKILL', 'SIGTERM'], RangeError, 'stopSignals must have SIGKILL last and once, got SIGKILL, SIGTERM'],
  ])('refuses %j', (signals, type, message) => {
    const call = () => rungsOf(signals as never, 1000);
    expect(call).toThrow(type);
    expect(call).toThrow(message);
  });
});

/** Dies of the signals it is told to, and writes down what was asked of it. */
class Prey implements StopTarget {
  readonly log: string[] = [];
  alive = true;
  newcomers = 0;
  isReachable = true;
  isSeen = true;
  readonly #clock: VirtualClock;
  readonly #diesOf: readonly string[];

  constructor(clock: VirtualClock, ...diesOf: string[]) {
    this.#clock = clock;
    this.#diesOf = diesOf;
  }

  signal(signal: string): boolean {
    this.log.push(`${signal}@${String(this.#clock.now())}`);
    if (this.#diesOf.includes(signal)) {
      this.alive = false;
      this.newcomers = 0;
    }
    return this.isReachable;
  }

  isAnyoneAlive(): boolean {
    return this.alive;
  }

  look(): Promise<'nobody' | 'somebody' | 'unknown'> {
    this.log.push(`look@${String(this.#clock.now())}`);
    if (!this.isSeen) return Promise.resolve('unknown');
    return Promise.resolve(this.alive || this.newcomers > 0 ? 'somebody' : 'nobody');
  }

  get signals(): string[] {
    return this.log.filter((line) => line.startsWith('SIG'));
  }
}

function climb(prey: Prey, clock: VirtualClock, signals: NodeJS.Signals[] = ['SIGTERM', 'SIGKILL'], graceMs = 1000) {
  const ladder = new StopLadder(prey, rungsOf(signals, graceMs), graceMs, clock);
  let doneAt: number | undefined;
  void ladder.done.then(() => (doneAt = clock.now()));
  return { ladder, doneAt: () => doneAt };
}

describe('StopLadder', () => {
  it('sends the first signal before the constructor returns, and ends as soon as nobody is left', async () => {
    const clock = new VirtualClock();
    const prey = new Prey(clock);
    const { doneAt } = climb(prey, clock);
    expect(prey.signals).toEqual(['SIGTERM@0']);
    await clock.advance(100);
    prey.alive = false;
    await clock.advance(50);
    expect(doneAt()).toBeGreaterThan(100);
    expect(doneAt()).toBeLessThanOrEqual(150);
    await clock.advance(10_000);
    expect(prey.signals).toEqual(['SIGTERM@0']);
  });

  it('L1: climbs by time, whatever was sent before', async () => {
    const clock = new VirtualClock();
    const prey = new Prey(clock, 'SIGKILL');
    const { doneAt } = climb(prey, clock, ['SIGINT', 'SIGTERM', 'SIGKILL'], 600);
    await clock.advance(599);
    expect(prey.signals).toEqual(['SIGINT@0', 'SIGTERM@300']);
    await clock.advance(1);
    expect(prey.signals).toEqual(['SIGINT@0', 'SIGTERM@300', 'SIGKILL@600']);
    await clock.advance(10);
    expect(doneAt()).toBeLessThanOrEqual(610);
  });

  it('sends all of it at once without a grace', () => {
    const clock = new VirtualClock();
    const prey = new Prey(clock);
    climb(prey, clock, ['SIGTERM', 'SIGKILL'], 0);
    expect(prey.signals).toEqual(['SIGTERM@0', 'SIGKILL@0']);
  });

  it('L2: signals newcomers with the rung it stands on, and is not done before they are gone', async () => {
    const clock = new VirtualClock();
    const prey = new Prey(clock);
    const { doneAt } = climb(prey, clock);
    prey.alive = false;
    prey.newcomers = 1;
    await clock.advance(5);
    expect(prey.signals).toEqual(['SIGTERM@0', 'SIGTERM@5']);
    expect(doneAt()).toBeUndefined();
    prey.newcomers = 0;
    await clock.advance(50);
    expect(doneAt()).toBeDefined();
  });

  it('L3: gives up lastLookMs after SIGKILL', async () => {
    const clock = new VirtualClock();
    const prey = new Prey(clock);
    const { doneAt } = climb(prey, clock);
    await clock.advance(1000 + lastLookMs - 1);
    expect(doneAt()).toBeUndefined();
    await clock.advance(1);
    expect(doneAt()).toBe(1000 + lastLookMs);
  });

  it('L3: without SIGKILL it gives up when the grace is over', async () => {
    const clock = new VirtualClock();
    const prey = new Prey(clock);
    const { doneAt } = climb(prey, clock, ['SIGTERM'], 300);
    await clock.advance(300);
    expect(doneAt()).toBe(300);
    expect(prey.signals).toEqual(['SIGTERM@0']);
  });

  it('force skips the rest of the grace, once', async () => {
    const clock = new VirtualClock();
    const prey = new Prey(clock);
    const { ladder, doneAt } = climb(prey, clock);
    await clock.advance(200);
    ladder.force();
    ladder.force();
    expect(prey.signals).toEqual(['SIGTERM@0', 'SIGKILL@200']);
    await clock.advance(lastLookMs);
    expect(doneAt()).toBe(200 + lastLookMs);
    ladder.force();
    expect(prey.signals).toHaveLength(2);
  });

  it('force kills even where stopSignals would not', async () => {
    const clock = new VirtualClock();
    const prey = new Prey(clock, 'SIGKILL');
    const { ladder, doneAt } = climb(prey, clock, ['SIGTERM'], 300);
    ladder.force();
    expect(prey.signals).toEqual(['SIGTERM@0', 'SIGKILL@0']);
    await clock.advance(5);
    expect(doneAt()).toBe(5);
  });

  it('check ends it without waiting for the next poll; nothing stays armed', async () => {
    const clock = new VirtualClock();
    const prey = new Prey(clock);
    const { ladder, doneAt } = climb(prey, clock);
    prey.alive = false;
    ladder.check();
    await ladder.done;
    expect(doneAt()).toBe(0);
    expect(clock.pending).toBe(0);
    ladder.check();
    expect(clock.pending).toBe(0);
  });

  it('L2: a look that could not be made says nothing: it is tried again until the end', async () => {
    const clock = new VirtualClock();
    const prey = new Prey(clock);
    const { doneAt } = climb(prey, clock);
    prey.alive = false;
    prey.isSeen = false;
    await clock.advance(1000 + lastLookMs - 1);
    expect(doneAt()).toBeUndefined();
    expect(prey.log.filter((line) => line.startsWith('look')).length).toBeGreaterThan(10);
    expect(prey.signals).toEqual(['SIGTERM@0', 'SIGKILL@1000']);
    await clock.advance(1);
    expect(doneAt()).toBe(1000 + lastLookMs);
  });

  it('looks at once where a signal could not reach everybody', async () => {
    const clock = new VirtualClock();
    const prey = new Prey(clock);
    prey.isReachable = false;
    climb(prey, clock);
    expect(prey.log).toEqual(['SIGTERM@0', 'look@0']);
    await Promise.resolve().then(() => undefined);
    expect(prey.signals).toEqual(['SIGTERM@0', 'SIGTERM@0']);
  });

  it('L4: no rung waits for a look', async () => {
    const clock = new VirtualClock();
    const prey = new Prey(clock);
    let answer: ((seen: 'nobody') => void) | undefined;
    prey.look = () => new Promise((resolve) => (answer = resolve));
    const { ladder, doneAt } = climb(prey, clock);
    prey.alive = false;
    await clock.advance(400);
    expect(answer).toBeDefined();
    ladder.force();
    expect(prey.signals).toEqual(['SIGTERM@0', 'SIGKILL@400']);
    answer?.('nobody');
    await ladder.done;
    expect(doneAt()).toBe(400);
    expect(clock.pending).toBe(0);
  });
});

describe('L5: of 80 ladders whose signal takes 1 ms', () => {
  const count = 80;

  /** How many signals each turn of the loop saw, until `done`. */
  async function perTurn(clock: VirtualClock, begin: (signalled: () => void) => Promise<unknown>): Promise<number[]> {
    const turns = [0];
    const state = { isOver: false };
    const ended = begin(() => {
      const until = performance.now() + 1;
      while (performance.now() < until);
      turns[turns.length - 1]! += 1;
    }).finally(() => (state.isOver = true));
    const count = (): void => {
      turns.push(0);
      if (!state.isOver) setImmediate(count);
    };
    count();
    while (!state.isOver) await clock.advance(10);
    await ended;
    return turns;
  }

  /** One that dies of SIGKILL, or when its second look is asked for. */
  function target(signalled: () => void, shared: Promise<unknown>): StopTarget {
    let [looks, isAlive] = [0, true];
    return {
      signal: (signal) => {
        signalled();
        if (signal === 'SIGKILL') isAlive = false;
        return !isAlive;
      },
      isAnyoneAlive: () => isAlive,
      look: async () => {
        await shared;
        looks += 1;
        if (looks > 1) isAlive = false;
        return isAlive ? 'somebody' : 'nobody';
      },
    };
  }

  const largest = (turns: readonly number[]): number => Math.max(...turns);
  const sum = (turns: readonly number[]): number => turns.reduce((a, b) => a + b, 0);

  it('no turn of the loop has more than a quarter: at the start, nor where all share a look', async () => {
    const clock = new VirtualClock();
    const rungs = rungsOf(['SIGTERM', 'SIGKILL'], 1000);
    const turns = await perTurn(clock, (signalled) => {
      let answer: (() => void) | undefined;
      const shared = new Promise<void>((resolve) => (answer = resolve));
      const ladders = Array.from(
        { length: count },
        () => new StopLadder(target(signalled, shared), rungs, 1000, clock),
      );
      // All have begun by then.
      let turnsLeft = 30;
      const wait = (): void => {
        if ((turnsLeft -= 1) > 0) setImmediate(wait);
        else answer?.();
      };
      wait();
      return Promise.all(ladders.map(({ done }) => done));
    });
    expect(sum(turns)).toBeGreaterThanOrEqual(2 * count);
    expect(largest(turns)).toBeLessThanOrEqual(count / 4);
  });

  it('nor where all are told to skip the grace', async () => {
    const clock = new VirtualClock();
    const turns = await perTurn(clock, async (signalled) => {
      const rungs = rungsOf(['SIGTERM', 'SIGKILL'], 1000);
      const ladders = Array.from(
        { length: count },
        () => new StopLadder(target(signalled, new Promise(() => undefined)), rungs, 1000, clock),
      );
      for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      for (const ladder of ladders) ladder.force();
      for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    });
    expect(sum(turns)).toBe(2 * count);
    expect(largest(turns)).toBeLessThanOrEqual(count / 4);
  });
});
