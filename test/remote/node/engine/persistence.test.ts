import { describe, expect, it } from 'vitest';

import { Persistence } from '../../../../src/remote/node/engine/persistence.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

function stage() {
  const clock = new VirtualClock();
  const errors: unknown[] = [];
  return { clock, errors, persistence: new Persistence(clock, 80, (error) => errors.push(error)) };
}

describe('what has to be written', () => {
  it('what has to be written is tried again, ever more seldom, until it is done', async () => {
    const { clock, persistence, errors } = stage();
    const tries: number[] = [];
    const done = persistence.until(
      () => {
        tries.push(clock.now());
        return tries.length < 5 ? Promise.reject(new Error('away')) : Promise.resolve();
      },
      () => false,
    );
    await clock.advance(1_000);
    expect([await done, tries, errors.length, persistence.waiting]).toEqual([true, [0, 20, 60, 140, 220], 4, 0]);
  });

  it('what has to be written is given up when it has become pointless, and when everything is closed', async () => {
    const { clock, persistence } = stage();
    let isPointless = false;
    const pointless = persistence.until(() => Promise.reject(new Error('away')), () => isPointless); // prettier-ignore
    const closed = persistence.until(() => Promise.reject(new Error('away')), () => false); // prettier-ignore
    await clock.advance(10);
    isPointless = true;
    await clock.advance(10);
    expect(await pointless).toBe(false);
    persistence.close();
    expect([await closed, clock.pending]).toEqual([false, 0]);
  });

  it('what has to be written is tried about as often in all, however much it is', async () => {
    const { clock, persistence } = stage();
    let tries = 0;
    const away = (): Promise<never> => (tries++, Promise.reject(new Error('away')));
    const all = Array.from({ length: 400 }, () => persistence.until(away, () => false));
    await clock.advance(1_000);
    const before = tries;
    await clock.advance(2_000);
    expect(tries - before).toBeLessThanOrEqual(2_000);
    persistence.close();
    await Promise.all(all);
  });

  it('what has to be written waits no longer when the engine is there again', async () => {
    const { clock, persistence } = stage();
    let tries = 0;
    const done = persistence.until(() => (++tries < 2 ? Promise.reject(new Error('away')) : Promise.resolve()), () => false); // prettier-ignore
    await clock.advance(1);
    persistence.retryNow();
    expect([await done, clock.now()]).toEqual([true, 1]);
  });
});
