import { describe, expect, it } from 'vitest';

import { delay } from '../../../src/index.ts';
import { memoryBackend, openStopBus } from '../../../src/remote/index.ts';
import { readStatus } from '../../../src/remote/node/read-status.ts';
import type { Exchange } from '../../../src/remote/node/engine/exchange.ts';
import { SessionRegistry } from '../../../src/sessions/index.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { during, entry, running, twoProcesses } from '../kit.ts';

describe('a look at a session', () => {
  it('a look at a session says the same from every process, and how far the last stop came', async () => {
    const { clock, a, b } = await twoProcesses();
    const epoch = clock.now();
    const look = async () => {
      const [here, there] = await during(clock, Promise.all([a.sessions.look('chat'), b.bus.look('chat')]));
      expect(here).toEqual(there);
      return here;
    };
    expect(await look()).toEqual({ sessionId: 'chat', state: 'absent' });
    const { controller } = a.sessions.open('chat');
    const turn = controller.runTurn(({ token }) => delay(token, 60_000));
    await clock.advance(10);
    expect(await look()).toEqual({ sessionId: 'chat', state: 'open', epoch });
    const receipt = await during(clock, b.sessions.cancel('chat', 'enough', { wait: 'settled' }));
    await turn;
    expect(await look()).toEqual({
      ...{ sessionId: 'chat', state: 'open', epoch },
      stop: { status: 'settled', reason: receipt.reason },
    });
    await during(clock, a.sessions.close('chat') as Promise<unknown>);
    await clock.advance(10);
    expect(await look()).toMatchObject({ state: 'closed' });
    await during(clock, Promise.all([a.bus.close(), b.bus.close()]));
  });

  it('a look at a session shows a stop that waits for it', async () => {
    const { clock, a, b } = await twoProcesses();
    await during(clock, a.sessions.cancel('chat', 'early'));
    expect(await during(clock, b.sessions.look('chat'))).toMatchObject({
      state: 'absent',
      stop: { status: 'pending', reason: { message: 'early' } },
    });
    await during(clock, Promise.all([a.bus.close(), b.bus.close()]));
  });

  it('a look at a session tells a host without a lease from one that has just ended', async () => {
    const before = running({ node: 'n1', stops: [entry('s', { phase: 'observed' })] });
    const exchange = (...records: (typeof before)[]) => {
      const left = [...records];
      return {
        read: () => Promise.resolve({ record: left.shift(), now: 0 }),
        anyAlive: () => Promise.resolve(false),
      } as unknown as Exchange;
    };
    expect(await readStatus(exchange(before, before), 'chat')).toMatchObject({
      state: 'silent',
      stop: { status: 'observed' },
    });
    expect(await readStatus(exchange(before, { ...before, state: 'settled', node: '' }), 'chat')).toMatchObject({
      state: 'closed',
    });
    expect(await readStatus(exchange(before, { ...before, node: 'n2' }), 'chat')).toMatchObject({ state: 'open' });
  });

  it('a look at a session is unknown where the engine does not answer, and open where it is at home', async () => {
    const clock = new VirtualClock();
    const backend = memoryBackend({ clock });
    const away: typeof backend = {
      ...backend,
      connect: async (node, events) => {
        const connection = await backend.connect(node, events);
        connection.read = () => Promise.reject(new Error('away'));
        return connection;
      },
    };
    const bus = await openStopBus(away, { clock });
    const sessions = new SessionRegistry({ bus, clock });
    sessions.open('mine');
    expect(await during(clock, sessions.look('mine') as Promise<unknown>)).toEqual({
      sessionId: 'mine',
      state: 'open',
    });
    expect(await during(clock, sessions.look('other'))).toEqual({ sessionId: 'other', state: 'unknown' });
    await expect(during(clock, bus.look('other'))).rejects.toThrow('away');
    await during(clock, bus.close());
    await expect(bus.look('other')).rejects.toThrow('closed');
  });
});
