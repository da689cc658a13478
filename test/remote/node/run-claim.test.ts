import { describe, expect, it } from 'vitest';

import type { StopConnection } from '../../../src/remote/backend.ts';
import { memoryBackend } from '../../../src/remote/index.ts';
import { Exchange } from '../../../src/remote/node/engine/exchange.ts';
import { Persistence } from '../../../src/remote/node/engine/persistence.ts';
import type { HostedRunParts } from '../../../src/remote/node/hosted-run-parts.ts';
import { RunClaim } from '../../../src/remote/node/run-claim.ts';
import { decodeRecord, encodeRecord } from '../../../src/remote/record/run-record.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { running } from '../kit.ts';

const nobody = { wake: () => undefined, resync: () => undefined, down: () => undefined };
const times = { pendingMs: 60_000, liveMs: 60_000, settledMs: 60_000 };

/** A claim over an engine whose first answer is lost. */
async function stage(between: (engine: StopConnection) => Promise<unknown> = () => Promise.resolve()) {
  const clock = new VirtualClock({ startAt: 1_000_000 });
  const engine = await memoryBackend({ clock }).connect('n1', nobody);
  let swaps = 0;
  const swap: StopConnection['swap'] = async (change) => {
    const answer = await engine.swap(change);
    if (++swaps > 1) return answer;
    await between(engine);
    throw new Error('the answer was lost');
  };
  const connection = { read: (id: string) => engine.read(id), swap } as unknown as StopConnection;
  const exchange = new Exchange(connection, { name: 'engine', clock, deadlineMs: 1_000, times });
  const said: unknown[] = [];
  const state = { isOver: false };
  const claim = new RunClaim(
    {
      ...{ runId: 'chat', node: 'n1', claim: 'c1', again: false, groups: [], clock, exchange },
      ...{ persistence: new Persistence(clock, 1_000, () => undefined), leaseHeld: () => Promise.resolve() },
    } as unknown as HostedRunParts,
    {
      told: () => new Set(),
      isOver: () => state.isOver,
      hosts: ({ epoch }, now) => said.push(['hosts', epoch, now]),
      lost: () => said.push('lost'),
    },
  );
  return { clock, engine, claim, said, state, swaps: () => swaps };
}

describe('the claim of a run', () => {
  it('D7 the claim of a run whose answer was lost is found again, and is one claim for whoever asks', async () => {
    const { clock, engine, claim, said, swaps } = await stage();
    const made = Promise.all([claim.make(), claim.make()]);
    await clock.advance(5_000);
    await made;
    expect(said).toEqual([['hosts', 1_000_000, 1_000_020]]);
    expect([swaps(), decodeRecord((await engine.read('chat')).value ?? '').epoch]).toEqual([1, 1_000_000]);
  });

  it('D7 the claim of a run whose answer was lost is given up where another hosting has followed it', async () => {
    const { clock, engine, claim, said } = await stage(async (engine) => {
      const { value: from } = await engine.read('chat');
      const to = encodeRecord(running({ epoch: 1_000_001, claim: 'c2', node: 'n2' }));
      await engine.swap({ runId: 'chat', from, to, ttlMs: 60_000, inboxes: [], hints: [], handled: false });
    });
    const made = claim.make();
    await clock.advance(5_000);
    await made;
    expect(said).toEqual(['lost']);
    expect(decodeRecord((await engine.read('chat')).value ?? '').claim).toBe('c2');
  });

  it('D7 the claim of a run that the engine has lost after its answer was is made again under its number', async () => {
    const { clock, claim, said } = await stage(async (engine) => {
      const { value: from } = await engine.read('chat');
      await engine.swap({ runId: 'chat', from, to: from ?? '', ttlMs: 1, inboxes: [], hints: [], handled: false });
    });
    const made = claim.make();
    await clock.advance(5_000);
    await made;
    expect(said).toEqual([['hosts', 1_000_000, 1_000_020]]);
  });

  it('the claim of a run that is over has passed once no try of it is on its way', async () => {
    const { clock, claim, said, state, swaps } = await stage();
    await claim.hasPassed();
    const made = claim.make();
    state.isOver = true;
    await clock.advance(5_000);
    await Promise.all([made, claim.hasPassed()]);
    expect([said, swaps()]).toEqual([[], 0]);
  });
});
