import { describe, expect, it } from 'vitest';

import { assertAll } from '../../../src/remote/node/assert-all.ts';
import type { Exchange } from '../../../src/remote/node/engine/exchange.ts';
import type { HostedRun } from '../../../src/remote/node/hosted-run.ts';
import type { Members } from '../../../src/remote/node/members.ts';
import { running } from '../kit.ts';

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
});
