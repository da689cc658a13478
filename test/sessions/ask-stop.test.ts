import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/core/foundation/reason.ts';
import { askGroup, askStop, readAskOptions } from '../../src/sessions/ask-stop.ts';
import type { Hosting, StopBus, StopProgress } from '../../src/sessions/index.ts';
import type { GroupProgress } from '../../src/sessions/stop-bus.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';

const reason = createReason('enough');
const request = { sessionId: 'a', reason };
const never = () => new Promise<never>(() => undefined);
const host = (): Hosting => ({ release: () => undefined });

/** What a stop is answered with whose bus answers so. */
async function ask(answer: () => Promise<StopProgress>, wait: 'requested' | 'settled' = 'settled') {
  const clock = new VirtualClock();
  const bus: StopBus = { host, request: answer };
  const asked = askStop(bus, clock, request, { wait, timeoutMs: 100 });
  await clock.advance(100);
  const { status, timedOut } = await asked;
  expect(clock.pending).toBe(0);
  return [status, timedOut];
}

describe('asking for a stop', () => {
  it('asking for a stop says no more than the bus knows, and no later than it may', async () => {
    const progress =
      (rest: Partial<StopProgress> = {}) =>
      () =>
        Promise.resolve({ status: 'requested' as const, ...rest });
    expect(await ask(() => Promise.reject(new Error('away')))).toEqual(['unconfirmed', false]);
    expect(await ask(never)).toEqual(['unconfirmed', true]);
    expect(await ask(progress({ until: never }), 'requested')).toEqual(['requested', false]);
    expect(await ask(progress())).toEqual(['requested', true]);
    expect(await ask(progress({ until: never }))).toEqual(['requested', true]);
    expect(await ask(progress({ until: () => Promise.reject(new Error('cut')) }))).toEqual(['requested', true]);
    expect(await ask(progress({ until: () => Promise.resolve({ status: 'runner-dead' }) }))).toEqual([
      'runner-dead',
      false,
    ]);
    expect(await ask(progress({ until: () => Promise.resolve({ status: 'settled' }) }))).toEqual(['settled', false]);
  });
});

describe('asking for a stop of a group', () => {
  const all = (...answers: Promise<StopProgress>[]): (() => Promise<GroupProgress>) => {
    const stops = answers.map((progress, n) => ({ sessionId: String(n), progress }));
    return () => Promise.resolve({ isComplete: true, stops });
  };

  async function askAll(requestGroup: StopBus['requestGroup']) {
    const clock = new VirtualClock();
    const bus: StopBus = { host, request: never, ...(requestGroup !== undefined && { requestGroup }) };
    const asked = askGroup(bus, clock, { group: 'g', reason }, { wait: 'settled', timeoutMs: 100 });
    asked.catch(() => undefined);
    await clock.advance(100);
    const { isComplete, receipts } = await asked;
    expect(clock.pending).toBe(0);
    return [isComplete, ...receipts.map(({ sessionId, status, timedOut }) => [sessionId, status, timedOut])];
  }

  it('asking for a stop of a group gives a receipt for each of its sessions, as if it had been stopped alone', async () => {
    const settled: StopProgress = { status: 'observed', until: () => Promise.resolve({ status: 'settled' }) };
    const asked = all(Promise.resolve(settled), Promise.reject(new Error('away')), never(), Promise.resolve({ status: 'pending' })); // prettier-ignore
    expect(await askAll(asked)).toEqual([
      true,
      ['0', 'settled', false],
      ['1', 'unconfirmed', false],
      ['2', 'unconfirmed', true],
      ['3', 'pending', true],
    ]);
  });

  it('asking for a stop of a group says so where nobody knows whom it has, and never rejects for that', async () => {
    expect(await askAll(never)).toEqual([false]);
    expect(await askAll(() => Promise.reject(new Error('away')))).toEqual([false]);
    await expect(askAll(undefined)).rejects.toThrow('the bus keeps no groups');
  });
});

describe('how far to wait', () => {
  it('how far to wait is nowhere and ten seconds, unless somebody says so', () => {
    expect(readAskOptions({})).toEqual({ wait: 'requested', timeoutMs: 10_000 });
    expect(readAskOptions({ wait: 'settled', timeoutMs: 1 })).toEqual({ wait: 'settled', timeoutMs: 1 });
    expect(() => readAskOptions({ level: 'kill', turnId: 1 })).toThrow('a kill is of everything');
  });
});
