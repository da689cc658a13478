import { describe, expect, it } from 'vitest';

import type { StopReading } from '../../../src/remote/backend.ts';
import { openStopBus, type StopBackend } from '../../../src/remote/index.ts';
import { SessionRegistry } from '../../../src/sessions/index.ts';
import { during, twoProcesses } from '../kit.ts';

const MANY = 100;

/** A run that is hosted, and a process that asks for stops of it, with what it sends to the engine. */
async function stage() {
  const { clock, backend, a } = await twoProcesses();
  const sent: string[] = [];
  const state = { isSilent: false };
  const connect: StopBackend['connect'] = async (node, events) => {
    const connection = await backend.connect(node, events);
    const [read, swap] = [connection.read.bind(connection), connection.swap.bind(connection)];
    return Object.assign(connection, {
      read: (runId: string) => {
        sent.push('read');
        return state.isSilent ? new Promise<StopReading>(() => undefined) : read(runId);
      },
      swap: (change: Parameters<typeof swap>[0]) => (sent.push('swap'), swap(change)),
    });
  };
  const told: (string | undefined)[] = [];
  const never = new Promise<never>(() => undefined);
  a.bus.host('chat', { deliver: ({ reason }) => (told.push(reason.message), never) });
  const bus = await openStopBus({ ...backend, connect }, { clock });
  await clock.advance(10);
  const asking = new SessionRegistry({ bus, clock });
  const askMany = (timeoutMs: number) =>
    Promise.all(
      Array.from({ length: MANY }, (_, n) => asking.cancel('chat', String(n), { wait: 'settled', timeoutMs })),
    );
  return { clock, sent, state, told, askMany, end: () => Promise.all([during(clock, bus.close()), during(clock, a.bus.close())]) }; // prettier-ignore
}

describe('the stops of one run', () => {
  it('the stops of one run are written together, and looked after together, however many ask', async () => {
    const { clock, sent, told, askMany, end } = await stage();
    const asked = askMany(1_000);
    await clock.advance(10);
    // The first goes at once, and the others with the next write.
    expect([sent, told]).toEqual([
      ['read', 'swap', 'read', 'swap'],
      ['0', '1'],
    ]);
    await clock.advance(190);
    expect(sent.slice(4)).toEqual(['read', 'read', 'read']);
    const receipts = await during(clock, asked);
    expect(receipts.map(({ status, reason }) => [status, reason.message])).toEqual(
      receipts.map((_, n) => ['observed', n === 0 ? '0' : '1']),
    );
    await end();
    expect(clock.pending).toBe(0);
  });

  it('the stops of one run are written by nobody when they are too late before their turn comes', async () => {
    const { clock, sent, state, told, askMany, end } = await stage();
    state.isSilent = true;
    const receipts = await during(clock, askMany(60_000));
    expect(new Set(receipts.map(({ status }) => status))).toEqual(new Set(['unconfirmed']));
    state.isSilent = false;
    await clock.advance(60_000);
    expect([sent, told]).toEqual([['read'], []]);
    await end();
    expect(clock.pending).toBe(0);
  });
});
