import { describe, expect, it } from 'vitest';

import { openStopBus, type StopBackend } from '../../../src/remote/index.ts';
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
