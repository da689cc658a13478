import { describe, expect, it } from 'vitest';

import { IdleWatch } from '../../../../src/core/combinators/engine/idle-watch.ts';
import { IdlePauses } from '../../../../src/core/interrupt/turn/idle-pauses.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

function watched(pauses: IdlePauses, clock: VirtualClock) {
  let rang = 0;
  const end = pauses.add(new IdleWatch(clock, 100, () => rang++));
  return { end, rang: () => rang };
}

describe('idle pauses', () => {
  it('stop every watch, and start it anew when the last is over', async () => {
    const clock = new VirtualClock();
    const pauses = new IdlePauses();
    const watch = watched(pauses, clock);
    await clock.advance(90);
    pauses.pause();
    pauses.pause();
    const later = watched(pauses, clock);
    pauses.resume();
    await clock.advance(1_000);
    expect([watch.rang(), later.rang()]).toEqual([0, 0]);
    pauses.resume();
    await clock.advance(99);
    expect([watch.rang(), later.rang()]).toEqual([0, 0]);
    await clock.advance(1);
    expect([watch.rang(), later.rang()]).toEqual([1, 1]);
  });

  it('have nothing more to do with a watch that ended', async () => {
    const clock = new VirtualClock();
    const pauses = new IdlePauses();
    const watch = watched(pauses, clock);
    watch.end();
    pauses.pause();
    pauses.resume();
    await clock.advance(1_000);
    expect([watch.rang(), clock.pending]).toEqual([0, 0]);
  });
});
