import { describe, expect, it } from 'vitest';

import { assertAll } from '../../../src/remote/node/assert-all.ts';
import type { Exchange } from '../../../src/remote/node/engine/exchange.ts';
import type { HostedRun } from '../../../src/remote/node/hosted-run.ts';
import type { Members } from '../../../src/remote/node/members.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { during, running } from '../kit.ts';

describe('everything that a node has written', () => {
  it('everything that a node has written is looked at once, 500 at a time, and shown what was found', async () => {
    const asked: number[] = [];
    const shown = new Map<string, unknown>();
    const record = running();
    const renew = (ids: readonly string[]) => {
      asked.push(ids.length);
      return Promise.resolve(ids.map((id) => (id === 'r7' ? undefined : record)));
    };
    const assert = (id: string) => (found: unknown) => (shown.set(id, found), Promise.resolve());
    const ids = Array.from({ length: 1_100 }, (_, n) => `r${String(n)}`);
    const hosted = new Map(ids.map((id) => [id, { assert: assert(id) } as unknown as HostedRun]));
    const members = { runs: ['r1', 'joined'], assert: (id: string, found: unknown) => assert(`${id} joined`)(found) };
    await assertAll({ renew } as unknown as Exchange, hosted, members as unknown as Members);
    expect(asked).toEqual([500, 500, 101]);
    expect([shown.get('r6'), shown.get('r7'), shown.get('joined joined')]).toEqual([record, undefined, record]);
    expect([...hosted.keys()].every((id) => shown.has(id))).toBe(true);
  });

  it('everything that a node has written is written again while more is looked at, and a failure is told when nothing is under way', async () => {
    const clock = new VirtualClock();
    const state = { isAway: false, underWay: 0, most: 0 };
    const answer = async <T>(value: T): Promise<T> => {
      state.most = Math.max(state.most, ++state.underWay);
      await new Promise<void>((resolve) => clock.setTimer(resolve, 10, { ref: true }));
      state.underWay--;
      if (state.isAway) throw new Error('away');
      return value;
    };
    const renew = (ids: readonly string[]) => answer(ids.map(() => undefined));
    const ids = Array.from({ length: 4_000 }, (_, n) => `r${String(n)}`);
    const run = { assert: () => answer(undefined) } as unknown as HostedRun;
    const members = { runs: [], assert: () => undefined } as unknown as Members;
    const all = () => assertAll({ renew } as unknown as Exchange, new Map(ids.map((id) => [id, run])), members);
    await during(clock, all());
    // Eight batches that are looked at and written, four at once; as many again would take 160.
    expect([clock.now(), state.most]).toEqual([40, 2_000]);
    state.isAway = true;
    await expect(during(clock, all())).rejects.toThrow('away');
    expect([state.underWay, clock.pending]).toEqual([0, 0]);
  });
});
