import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/index.ts';
import { askStop } from '../../src/sessions/ask-stop.ts';
import type { Hosting, StopBus, StopProgress } from '../../src/sessions/index.ts';
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
