import { describe, expect, it } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import type { StopSwap } from '../../../src/remote/backend.ts';
import { memoryBackend, openStopBus, type StopBackend, type StopConnection } from '../../../src/remote/index.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { obedient } from '../../core/interrupt/kit.ts';
import { during, report, twoProcesses } from '../kit.ts';

const nobody = { wake: () => undefined, resync: () => undefined, down: () => undefined };

describe('a hosting', () => {
  it('D7 a hosting that another process replaces ends, is told why, and can be opened anew', async () => {
    const { clock, a, b } = await twoProcesses();
    const old = a.sessions.open('chat');
    const turn = old.controller.runTurn(obedient);
    await clock.advance(10);
    const next = b.sessions.open('chat').controller.runTurn(obedient);
    await clock.advance(10);
    expect(await turn).toMatchObject({ status: 'cancelled', reason: { kind: 'superseded' } });
    expect(a.sessions.open('chat')).not.toBe(old);
    await clock.advance(10);
    expect((await next).status).toBe('cancelled');
  });

  it('a hosting that is stopped from here needs no engine to be told', async () => {
    const { clock, a } = await twoProcesses();
    const turn = a.sessions.open('chat').controller.runTurn(obedient);
    const asked = a.sessions.cancel('chat', 'here', { wait: 'settled' });
    expect((await turn).status).toBe('cancelled');
    expect(await during(clock, asked)).toMatchObject({ status: 'settled', reason: { message: 'here' } });
  });

  it('what has come together is told before anything is written of what became of it', async () => {
    const { clock, backend, a } = await twoProcesses();
    const happened: string[] = [];
    let wake: ((runId: string, value?: string) => void) | undefined;
    const host = await openStopBus(
      {
        ...backend,
        connect: async (node, events) => {
          const connection = await backend.connect(node, { ...events, wake: () => undefined });
          wake = events.wake;
          const swap = connection.swap.bind(connection);
          return Object.assign(connection, {
            swap: (change: StopSwap) => {
              happened.push(`written ${change.runId}`);
              return swap(change);
            },
          });
        },
      },
      { clock },
    );
    const ids = ['first', 'second', 'third'];
    for (const id of ids) {
      const hosting = host.host(id, {
        deliver: () => {
          happened.push(`told ${id}`);
          hosting.release();
          return Promise.resolve(report);
        },
      });
      await during(clock, hosting.claimed?.() ?? Promise.resolve(true));
      await a.bus.request({ sessionId: id, reason: createReason({ kind: 'user' }), turnId: undefined });
    }
    const reader = await backend.connect('reader', nobody);
    const values = await Promise.all(ids.map(async (id) => (await reader.read(id)).value));
    happened.length = 0;
    // One message, whose turn ends, and another one in the turn after.
    wake?.('first', values[0]);
    wake?.('second', values[1]);
    clock.setTimer(() => wake?.('third', values[2]), 0, { ref: true });
    await clock.advance(10);
    const written = ids.map((id) => `written ${id}`);
    expect(happened).toEqual([...ids.map((id) => `told ${id}`), ...written]);
    await Promise.all([host.close(), a.bus.close()]);
  });

  it('D2 a hosting that no wake-up reaches is told by the next heartbeat, and takes the run out of its inbox', async () => {
    const clock = new VirtualClock({ startAt: 1_000_000 });
    const memory = memoryBackend({ clock });
    const deaf: StopBackend = {
      ...memory,
      connect: (node, events) => memory.connect(node, { ...events, wake: () => undefined }),
    };
    const [host, front] = [await openStopBus(deaf, { clock }), await openStopBus(memory, { clock })];
    const told: number[] = [];
    host.host('chat', { deliver: () => Promise.resolve(report).finally(() => told.push(clock.now())) });
    await clock.advance(10);
    await front.request({ sessionId: 'chat', reason: createReason({ kind: 'user' }), turnId: undefined });
    expect(told).toEqual([]);
    await clock.advance(5_000);
    expect(told).toHaveLength(1);
    // Told once, however many heartbeats follow.
    await clock.advance(20_000);
    expect(told).toHaveLength(1);
    await Promise.all([host.close(), front.close()]);
  });

  it('D12 a hosting that the engine has lost is written again by one operation', async () => {
    const clock = new VirtualClock({ startAt: 1_000_000 });
    let engine = memoryBackend({ clock });
    const sent: string[] = [];
    const forgetful: StopBackend = {
      ...engine,
      connect: async (node, events) => {
        const first = engine;
        const real = await first.connect(node, events);
        const there = async (): Promise<StopConnection> => (engine === first ? real : engine.connect(node, events));
        return {
          ...{ read: async (id) => (sent.push('read'), (await there()).read(id)) },
          ...{ swap: async (change) => (sent.push('swap'), (await there()).swap(change)) },
          ...{ pull: async (ms, mark) => (await there()).pull(ms, mark) },
          ...{ renew: async (ids, ms) => (sent.push('renew'), (await there()).renew(ids, ms)) },
          ...{ list: (group) => real.list(group), alive: (nodes) => real.alive(nodes) },
          ...{ listen: () => real.listen(), reset: () => undefined, close: (release) => real.close(release) },
        };
      },
    };
    const bus = await openStopBus(forgetful, { clock });
    for (const id of ['one', 'two', 'three']) bus.host(id, { deliver: () => Promise.resolve(report) });
    await clock.advance(20_000);
    engine = memoryBackend({ clock });
    sent.length = 0;
    await clock.advance(5_000);
    expect(sent).toEqual(['renew', 'swap', 'swap', 'swap']);
    await during(clock, bus.close());
  });

  it('a hosting that ends as it is told of a stop writes that in one go', async () => {
    const clock = new VirtualClock({ startAt: 1_000_000 });
    const memory = memoryBackend({ clock });
    let swaps = 0;
    const counted: StopBackend = {
      ...memory,
      connect: async (node, events) => {
        const connection = await memory.connect(node, events);
        const swap = connection.swap.bind(connection);
        return Object.assign(connection, { swap: (change: StopSwap) => swap(change).finally(() => swaps++) });
      },
    };
    const [host, front] = [await openStopBus(counted, { clock }), await openStopBus(memory, { clock })];
    const tie = host.host('chat', {
      deliver: () => Promise.resolve(report).finally(() => tie.release()),
    });
    await clock.advance(10);
    const claims = swaps;
    await front.request({ sessionId: 'chat', reason: createReason({ kind: 'user' }), turnId: undefined });
    await clock.advance(100);
    expect([claims, swaps - claims, (await front.look('chat')).stop?.status]).toEqual([1, 1, 'settled']);
    await Promise.all([host.close(), front.close()]);
  });

  it('D9 a hosting by a clock that is hours off is told a waiting stop with what is left by the time of the engine', async () => {
    const [clock, wrong] = [new VirtualClock({ startAt: 1_000_000 }), new VirtualClock({ startAt: 90_000_000 })];
    const memory = memoryBackend({ clock });
    const [host, front] = [await openStopBus(memory, { clock: wrong }), await openStopBus(memory, { clock })];
    await front.request({ sessionId: 'chat', reason: createReason({ kind: 'user' }), turnId: undefined });
    await clock.advance(600_000);
    const left: unknown[] = [];
    host.host('chat', { deliver: (_request, early) => Promise.resolve(report).finally(() => left.push(early)) });
    await wrong.advance(10);
    expect(left).toEqual([{ remainingMs: 3_000_000 }]);
    const { value } = await (await memory.connect('x', nobody)).read('chat');
    const [, epoch, , , , stops] = JSON.parse(value ?? '[]') as [
      number,
      number,
      unknown,
      unknown,
      unknown,
      { a: number }[],
    ];
    expect([epoch, stops[0]?.a]).toEqual([1_600_000, 1_000_000]);
    await Promise.all([host.close(), front.close()]);
  });
});
