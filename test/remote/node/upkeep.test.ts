import { describe, expect, it } from 'vitest';

import type { Exchange } from '../../../src/remote/node/engine/exchange.ts';
import type { HostedRun } from '../../../src/remote/node/hosted-run.ts';
import type { Members } from '../../../src/remote/node/members.ts';
import { Upkeep } from '../../../src/remote/node/upkeep.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

/** Three runs here, and the records that are looked at. */
function stage() {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const state = { marked: new Set<string>(), isAway: false };
  const exchange = {
    takeMarked: () => state.marked,
    renew: (ids: readonly string[]) => {
      asked.push(ids.join());
      return state.isAway ? Promise.reject(new Error('away')) : Promise.resolve(ids.map(() => undefined));
    },
  } as unknown as Exchange;
  const run = { members: [], assert: () => Promise.resolve() } as unknown as HostedRun;
  const members = { runs: [], assert: () => Promise.resolve(), bury: () => Promise.resolve() } as unknown as Members;
  const hosted = new Map(['a', 'b', 'c'].map((id) => [id, run]));
  return { clock, asked, state, upkeep: new Upkeep({ clock, exchange, hosted, members }) };
}

describe('what a node looks after', () => {
  it('what a node looks after is what is new since the heartbeat before, and costs nothing where nothing is', async () => {
    const { asked, state, upkeep } = stage();
    await upkeep.assert(false);
    state.marked = new Set(['b', 'of somebody else']);
    await upkeep.assert(false);
    expect(asked).toEqual(['b']);
  });

  it('what a node looks after is everything where the engine may have lost any of it, and before it forgets', async () => {
    const { clock, asked, upkeep } = stage();
    await upkeep.assert(true);
    await clock.advance(28_799_999);
    await upkeep.assert(false);
    await clock.advance(1);
    await upkeep.assert(false);
    await upkeep.assert(false);
    expect(asked).toEqual(['a,b,c', 'a,b,c']);
  });

  it('what a node looks after is everything after it could not be looked at', async () => {
    const { asked, state, upkeep } = stage();
    state.marked = new Set(['b']);
    state.isAway = true;
    await expect(upkeep.assert(false)).rejects.toThrow('away');
    state.marked = new Set();
    state.isAway = false;
    await upkeep.assert(false);
    expect(asked).toEqual(['b', 'a,b,c']);
  });
});
