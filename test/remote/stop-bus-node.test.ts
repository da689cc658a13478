import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/index.ts';
import { memoryBackend, openStopBus, type StopConnection } from '../../src/remote/index.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { during, twoProcesses } from './kit.ts';

const host = { deliver: () => new Promise<never>(() => undefined) };

describe('one process on the bus', () => {
  it('one process on the bus hosts a session once, and again when it was given up', async () => {
    const { a } = await twoProcesses();
    const hosting = a.bus.host('chat', host);
    expect(() => a.bus.host('chat', host)).toThrow('the session "chat" is hosted already');
    hosting.release();
    a.bus.host('chat', host).release();
  });

  it('one process on the bus that closes gives up its runs and its lease', async () => {
    const { clock, backend, a, b } = await twoProcesses();
    a.bus.host('chat', host);
    await clock.advance(10);
    await during(clock, a.bus.close());
    await a.bus.close();
    expect((await during(clock, b.sessions.cancel('chat'))).status).toBe('settled');
    expect(() => a.bus.host('chat', host)).toThrow('the stop bus is closed');
    expect(() => a.bus.join('chat')).toThrow('the stop bus is closed');
    await expect(a.bus.request({ sessionId: 'chat', reason: createReason('user') })).rejects.toThrow('closed');
    const probe = await backend.connect('p', { wake: () => undefined, resync: () => undefined, down: () => undefined });
    const { value } = await probe.read('chat');
    expect(value).toContain('[1,');
    await during(clock, b.bus.close());
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['that hosts a session', true],
    ['whose last session was given up before', false],
  ])(
    'one process on the bus %s closes within its limit while the engine is silent, and cuts it off',
    async (_, hosts) => {
      const clock = new VirtualClock({ startAt: 1_000_000 });
      const memory = memoryBackend({ clock });
      const closes: boolean[] = [];
      let isSilent = false;
      const never = new Promise<never>(() => undefined);
      const backend: typeof memory = {
        ...{ name: 'silent', caps: memory.caps },
        connect: async (node, events) => {
          const real = await memory.connect(node, events);
          const heard = <T>(answer: Promise<T>): Promise<T> => (isSilent ? never : answer);
          return {
            read: (runId) => heard(real.read(runId)),
            swap: (change) => heard(real.swap(change)),
            pull: (ms, proposal) => heard(real.pull(ms, proposal)),
            renew: (runIds, ms) => heard(real.renew(runIds, ms)),
            alive: (nodes) => heard(real.alive(nodes)),
            listen: () => heard(real.listen()),
            reset: () => undefined,
            close: (release) => {
              closes.push(release);
              return heard(real.close(release));
            },
          } satisfies StopConnection;
        },
      };
      const bus = await openStopBus(backend, { clock });
      const hosting = bus.host('chat', host);
      await clock.advance(10);
      if (!hosts) hosting.release();
      await clock.advance(10);
      isSilent = true;
      const closedAt: number[] = [];
      const from = clock.now();
      const closing = bus.close({ timeoutMs: 1_000 }).then(() => closedAt.push(clock.now() - from));
      await clock.advance(999);
      expect(closedAt).toEqual([]);
      await clock.advance(1);
      expect(closedAt).toEqual([1_000]);
      await closing;
      expect(closes).toEqual([true, false]);
      await clock.advance(60_000);
      expect(clock.pending).toBe(0);
    },
  );

  it('one process on the bus that hosts nothing arms no timer', async () => {
    const { clock, a } = await twoProcesses();
    expect(clock.pending).toBe(0);
    const hosting = a.bus.host('chat', host);
    await clock.advance(10);
    expect(clock.pending).toBeGreaterThan(0);
    hosting.release();
    await clock.advance(10);
    expect(clock.pending).toBe(0);
  });
});
