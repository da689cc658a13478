import { describe, expect, it } from 'vitest';

import { Recovery } from '../../../../src/remote/node/engine/recovery.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

function stage(ask: () => Promise<unknown> = () => Promise.reject(new Error('away'))) {
  const clock = new VirtualClock();
  const told: string[] = [];
  const recovery = new Recovery({
    ...{ clock, everyMs: 100 },
    ask: () => (told.push('asked'), ask()),
    failed: (error) => told.push(String(error)),
  });
  return { clock, recovery, told };
}

describe('a recovery', () => {
  it('a recovery asks nothing while the engine is well, and again and again while it is not', async () => {
    const { clock, recovery, told } = stage();
    recovery.askNow();
    await clock.advance(1_000);
    expect([told, clock.pending]).toEqual([[], 0]);
    recovery.start();
    recovery.start();
    await clock.advance(250);
    expect(told).toEqual(['asked', 'Error: away', 'asked', 'Error: away']);
    recovery.stop();
    await clock.advance(1_000);
    expect([told.length, clock.pending]).toEqual([4, 0]);
  });

  it('a recovery asks one question at a time, and at once when something has changed', async () => {
    const answer = deferred<undefined>();
    const { clock, recovery, told } = stage(() => answer.promise);
    recovery.start();
    recovery.askNow();
    recovery.askNow();
    await clock.advance(1_000);
    expect(told).toEqual(['asked']);
    answer.resolve(undefined);
    await clock.advance(100);
    expect(told).toEqual(['asked', 'asked']);
    recovery.stop();
  });
});
