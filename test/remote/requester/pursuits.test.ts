import { describe, expect, it } from 'vitest';

import { openStopBus, type StopBackend } from '../../../src/remote/index.ts';
import type { StopSwap } from '../../../src/remote/backend.ts';
import { SessionRegistry } from '../../../src/sessions/index.ts';
import { during, twoProcesses } from '../kit.ts';

describe('the stops of a process', () => {
  it('the stops of a process are let go of when nobody has to look after them', async () => {
    const { clock, b } = await twoProcesses();
    for (let n = 0; n < 50; n++) await during(clock, b.sessions.cancel(String(n)));
    expect(clock.pending).toBe(0);
  });

  it('the stops of a process that nobody waits for are looked at once, and no lease is looked for where they were told', async () => {
    const { clock, backend, a } = await twoProcesses();
    const sent: string[] = [];
    const connect: StopBackend['connect'] = async (node, events) => {
      const connection = await backend.connect(node, events);
      const [read, alive] = [connection.read.bind(connection), connection.alive.bind(connection)];
      return Object.assign(connection, {
        read: (runId: string) => (sent.push('read'), read(runId)),
        alive: (nodes: readonly string[]) => (sent.push('alive'), alive(nodes)),
      });
    };
    const bus = await openStopBus({ ...backend, connect }, { clock });
    let told = 0;
    a.bus.host('chat', { deliver: () => new Promise(() => told++) });
    await clock.advance(10);
    sent.length = 0;
    await during(clock, new SessionRegistry({ bus, clock }).cancel('chat'));
    await clock.advance(5_000);
    expect([told, sent]).toEqual([1, ['read', 'read']]);
    await during(clock, bus.close());
  });

  it.each([['cancel'], ['cancelGroup']] as const)(
    'the stops of a process whose engine is silent are unconfirmed in time: %s',
    async (ask) => {
      const { clock, backend } = await twoProcesses();
      const state = { isSilent: false };
      const connect: StopBackend['connect'] = async (node, events) => {
        const connection = await backend.connect(node, events);
        const [read, swap, list] = [
          connection.read.bind(connection),
          connection.swap.bind(connection),
          connection.list.bind(connection),
        ];
        const none = (): Promise<never> => new Promise(() => undefined);
        return Object.assign(connection, {
          read: (id: string) => (state.isSilent ? none() : read(id)),
          swap: (change: StopSwap) => (state.isSilent ? none() : swap(change)),
          list: (group: string) => (state.isSilent ? none() : list(group)),
        });
      };
      const bus = await openStopBus({ ...backend, connect }, { clock, leaseMs: 60_000, confirmMs: 1_000 });
      state.isSilent = true;
      const asked = new SessionRegistry({ bus, clock })[ask]('chat', 'user', { timeoutMs: 50_000 });
      const receipt = await during<object>(clock, asked, 1_010);
      expect(receipt).toMatchObject(
        ask === 'cancel' ? { status: 'unconfirmed', timedOut: false } : { isComplete: false },
      );
      await bus.close({ timeoutMs: 0 });
      await clock.advance(60_000);
      expect(clock.pending).toBe(0);
    },
  );

  it('the stops of a process that nobody waits for are looked after for some leases, and no longer', async () => {
    const { clock, a, b } = await twoProcesses();
    a.bus.host('chat', { deliver: () => new Promise(() => undefined) });
    await clock.advance(10);
    await during(clock, b.sessions.cancel('chat'));
    await clock.advance(10);
    await during(clock, a.bus.close());
    await clock.advance(61_000);
    expect(clock.pending).toBe(0);
  });
});
