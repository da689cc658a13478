import { describe, expect, it } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import { KeptStops } from '../../../src/sessions/kept/stops-to-come.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

function keeping() {
  const clock = new VirtualClock();
  return { kept: new KeptStops(clock), clock, reasons: [createReason('user'), createReason('shutdown')] as const };
}

describe('a stop that came before what it is for', () => {
  it('a stop that came early is the first of several with one aim, and all who asked hear what it stuck to', async () => {
    const { kept, clock, reasons } = keeping();
    const asked = reasons.map((reason) => kept.keep('first', reason, 100));
    expect([kept.starts(1), kept.starts(2)]).toEqual([reasons[0], undefined]);
    expect(await Promise.all(asked)).toEqual(Array(2).fill({ reason: reasons[0], turnId: 1 }));
    expect(clock.pending).toBe(0);
  });

  it('a stop that came early is kept as long as the longest of several with one aim', async () => {
    const { kept, clock, reasons } = keeping();
    const asked = [kept.keep('first', reasons[0], 100), kept.keep('first', reasons[1], 300)];
    void kept.keep('first', reasons[1], 200);
    await clock.advance(299);
    expect(kept.starts(1)).toBe(reasons[0]);
    expect(await Promise.all(asked)).toEqual(Array(2).fill({ reason: reasons[0], turnId: 1 }));
    expect(clock.pending).toBe(0);
  });

  it('a stop that came early is for one turn if it names one, and for no background work', async () => {
    const { kept, reasons } = keeping();
    const asked = kept.keep(2, reasons[0], 100);
    expect([kept.starts(undefined), kept.starts(1), kept.starts(2)]).toEqual([undefined, undefined, reasons[0]]);
    expect(await asked).toEqual({ reason: reasons[0], turnId: 2 });
  });

  it('a stop that came early is for background work too if it names no turn', async () => {
    const { kept, reasons } = keeping();
    const asked = kept.keep('first', reasons[0], 100);
    expect(kept.starts(undefined)).toBe(reasons[0]);
    expect(await asked).toEqual({ reason: reasons[0], turnId: undefined });
  });

  it('a stop that came early is the reason if it came first of two that stick to one turn, and neither is left for the next', async () => {
    const { kept, reasons } = keeping();
    const asked = [kept.keep(1, reasons[0], 100), kept.keep('first', reasons[1], 100)];
    expect([kept.starts(1), kept.starts(2)]).toEqual([reasons[0], undefined]);
    expect(await Promise.all(asked)).toEqual(Array(2).fill({ reason: reasons[0], turnId: 1 }));
  });

  it('a stop that came early has missed its aim after its time, which keeps no process alive', async () => {
    const { kept, clock, reasons } = keeping();
    const asked = kept.keep('first', reasons[0], 100);
    await clock.advance(100);
    expect([await asked, kept.starts(1), clock.pending]).toEqual([undefined, undefined, 0]);
    expect(await kept.keep('first', reasons[0], 0)).toBeUndefined();
  });

  it('a stop that came early has missed its aim after its time, also where its timer is late', async () => {
    const late = { now: () => now, setTimer: () => ({ release: () => undefined, [Symbol.dispose]: () => undefined }) };
    let now = 0;
    const kept = new KeptStops(late);
    const asked = kept.keep('first', createReason('user'), 100);
    now = 100;
    expect([kept.starts(1), await asked]).toEqual([undefined, undefined]);
  });

  it('a stop that came early has missed its aim when nothing more comes', async () => {
    const { kept, clock, reasons } = keeping();
    const asked = [kept.keep(1, reasons[0], 100), kept.keep('first', reasons[1], 100)];
    kept.close();
    expect(await Promise.all(asked)).toEqual([undefined, undefined]);
    expect(clock.pending).toBe(0);
  });

  it('a stop that came early is kept for a hundred turns at once, and for more when these are over', async () => {
    const { kept, clock, reasons } = keeping();
    for (let turn = 1; turn <= 100; turn++) void kept.keep(turn, reasons[0], Infinity);
    expect(await kept.keep(101, reasons[0], Infinity)).toBeUndefined();
    expect([kept.hasRoomFor(101), kept.hasRoomFor(100), kept.hasRoomFor('first'), clock.pending]).toEqual([false, true, true, 0]); // prettier-ignore
    kept.starts(1);
    void kept.keep(101, reasons[0], Infinity);
    await clock.advance(3_600_000);
    expect(kept.starts(101)).toBe(reasons[0]);
  });
});
