import { describe, expect, it } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import { EarlyStops } from '../../../src/sessions/kept/early-stops.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

const reason = createReason('enough');
const later = createReason('more than enough');

describe('early stops', () => {
  it('early stops keep the first for each turn and the first for everything, once, for their time', async () => {
    const clock = new VirtualClock();
    const early = new EarlyStops(clock, 60_000);
    for (const turnId of [1, 2, undefined]) early.keep({ sessionId: 'a', reason, turnId });
    expect(early.keep({ sessionId: 'a', reason: later, turnId: 1 })).toEqual({ sessionId: 'a', reason, turnId: 1 });
    early.keep({ sessionId: 'b', reason });
    expect(early.take('a').map(({ request }) => [request.turnId, request.reason])).toEqual([
      [1, reason],
      [2, reason],
      [undefined, reason],
    ]);
    expect(early.take('a')).toEqual([]);
    await clock.advance(60_000);
    expect([early.take('b'), clock.pending]).toEqual([[], 0]);
  });

  it('early stops are late after the close of their session, until it is opened again or forgotten', async () => {
    const clock = new VirtualClock();
    const early = new EarlyStops(clock, 1_000);
    early.closed('a');
    expect(early.keep({ sessionId: 'a', reason })).toBe('late');
    expect(early.take('a')).toEqual([]);
    expect(early.keep({ sessionId: 'a', reason })).toEqual({ sessionId: 'a', reason });
    early.closed('b');
    await clock.advance(1_000);
    expect(early.keep({ sessionId: 'b', reason })).toEqual({ sessionId: 'b', reason });
  });

  it('early stops wait for 10,000 sessions at most, the latest', () => {
    const early = new EarlyStops(new VirtualClock(), 60_000);
    for (let n = 0; n <= 10_000; n++) early.keep({ sessionId: String(n), reason });
    expect(['0', '1', '10000'].map((id) => early.take(id).length)).toEqual([0, 1, 1]);
  });

  it('early stops are pushed out by stops alone, not by sessions that were closed or wait to be tried again', () => {
    const early = new EarlyStops(new VirtualClock(), 60_000);
    early.keep({ sessionId: 'a', reason });
    for (let n = 0; n <= 10_000; n++) {
      early.closed(`closed ${String(n)}`);
      early.retried(`retried ${String(n)}`, ['g'], undefined);
    }
    expect(early.look('a')).toEqual({ sessionId: 'a', reason });
  });

  it('early stops wait from the last of several, with the reason of the first', async () => {
    const clock = new VirtualClock();
    const early = new EarlyStops(clock, 1_000);
    for (const turnId of [undefined, 1]) early.keep({ sessionId: 'a', reason, turnId });
    await clock.advance(600);
    early.keep({ sessionId: 'a', reason: later });
    await clock.advance(600);
    expect(early.take('a')).toEqual([{ request: { sessionId: 'a', reason, turnId: undefined }, until: 1_600 }]);
  });

  it('early stops know the groups of what waits to be tried again, until it is', async () => {
    const clock = new VirtualClock();
    const early = new EarlyStops(clock, 1_000);
    early.retried('a', ['g', 'h'], { sessionId: 'a', reason });
    early.retried('b', [], undefined);
    early.retried('c', ['g'], undefined);
    expect([early.inGroup('g'), early.inGroup('h'), early.inGroup('i')]).toEqual([['a', 'c'], ['a'], []]);
    expect(early.take('a')).toHaveLength(1);
    expect(early.inGroup('g')).toEqual(['c']);
    await clock.advance(1_000);
    expect(early.inGroup('g')).toEqual([]);
  });
});
