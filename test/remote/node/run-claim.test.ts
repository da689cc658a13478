import { describe, expect, it } from 'vitest';

import type { StopConnection, StopSwap } from '../../../src/remote/backend.ts';
import { memoryBackend } from '../../../src/remote/index.ts';
import { Exchange } from '../../../src/remote/node/engine/exchange.ts';
import { Persistence } from '../../../src/remote/node/engine/persistence.ts';
import type { HostedRunParts } from '../../../src/remote/node/hosted-run-parts.ts';
import { RunClaim } from '../../../src/remote/node/run-claim.ts';
import {
  decodeRecord,
  encodeRecord,
  unhosted,
  type RunRecord,
  type StopEntry,
} from '../../../src/remote/record/run-record.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { during, entry, running } from '../kit.ts';

const nobody = { wake: () => undefined, resync: () => undefined, down: () => undefined };
const times = { pendingMs: 60_000 };

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
  it.each([
    [
      'is sent when the last attempt of this process has written what it was told, which is for this one',
      false,
      ['s+1000000', 't'],
    ],
    ['that is wanted again takes nothing of what the last attempt of this process was told', true, []],
  ])('D10 the claim of a run %s', async (_what, again, expected) => {
    const clock = new VirtualClock({ startAt: 1_000_000 });
    const engine = await memoryBackend({ clock }).connect('n1', nobody);
    const exchange = new Exchange(engine, { name: 'engine', clock, deadlineMs: 1_000, times });
    const hasWritten = async (): Promise<void> => {
      await new Promise<void>((resolve) => clock.setTimer(resolve, 50, { ref: true }));
      const stops = [entry('s', { phase: 'observed', at: clock.now() }), entry('t', { at: clock.now() })];
      const to = encodeRecord(running({ epoch: 999_999, claim: 'c0', stops }));
      await engine.swap({ runId: 'chat', from: undefined, to, ttlMs: 60_000, inboxes: [], hints: [], handled: false });
    };
    const asked: string[] = [];
    const parts = { runId: 'chat', node: 'n1', claim: 'c1', again, groups: [], clock, exchange };
    const persistence = new Persistence(clock, 1_000, () => undefined);
    const before = { told: new Set(['s', 't']), hasWritten };
    const claim = new RunClaim(
      { ...parts, persistence, before, leaseHeld: () => Promise.resolve() } as unknown as HostedRunParts,
      {
        told: () => new Set(),
        isOver: () => false,
        hosts: ({ stops }) => asked.push(...stops.filter(({ phase }) => phase === 'requested').map(({ id }) => id)),
        lost: () => undefined,
      },
    );
    await during(clock, claim.make());
    expect(asked).toEqual(expected.map((id) => id.replace('1000000', String(clock.now() - (clock.now() % 50)))));
  });

  it('D10 the claim of a run that is wanted again takes no stop from before, however long the answers of the engine take', async () => {
    const clock = new VirtualClock({ startAt: 1_000_000 });
    const engine = await memoryBackend({ clock }).connect('n1', nobody);
    const wait = (ms: number) => new Promise<void>((resolve) => clock.setTimer(resolve, ms, { ref: true }));
    const write = async (stops: readonly StopEntry[]) => {
      const { value: from } = await engine.read('chat');
      const to = encodeRecord({ ...unhosted, stops });
      await engine.swap({ runId: 'chat', from, to, ttlMs: 60_000, inboxes: [], hints: [], handled: false });
    };
    const slow = {
      ...{ read: (id: string) => engine.read(id), pull: (ms: number, mark: string) => engine.pull(ms, mark) },
      swap: async (change: StopSwap) => {
        const answer = await engine.swap(change);
        await wait(20);
        return answer;
      },
    } as unknown as StopConnection;
    const exchange = new Exchange(slow, { name: 'engine', clock, deadlineMs: 1_000, times });
    await exchange.pull(1_000, 'mark');
    const told: StopEntry[] = [];
    const persistence = new Persistence(clock, 1_000, () => undefined);
    const parts = { runId: 'chat', node: 'n1', claim: 'c1', again: true, groups: [], clock, exchange, persistence };
    const claimant = {
      ...{ told: () => new Set<string>(), isOver: () => false, lost: () => undefined },
      hosts: ({ stops }: RunRecord) => told.push(...stops),
    };
    const before = entry('before', { at: clock.now() });
    await write([before]);
    const leaseHeld = async () => {
      await wait(50);
      await write([before, entry('since', { at: clock.now() - 10 })]);
    };
    await during(clock, new RunClaim({ ...parts, leaseHeld } as unknown as HostedRunParts, claimant).make());
    expect(told.map(({ id, phase }) => `${id} ${phase}`)).toEqual(['before superseded', 'since requested']);
  });

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
