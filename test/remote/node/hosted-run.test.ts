import { describe, expect, it } from 'vitest';

import { createReason, type StopReport } from '../../../src/index.ts';
import { memoryBackend, openStopBus, type StopBackend, type StopConnection } from '../../../src/remote/index.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { obedient } from '../../core/interrupt/kit.ts';
import { during, report, twoProcesses } from '../kit.ts';

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

  it('a hosting writes what it was told in as few operations as there are phases, and reads nothing for it', async () => {
    const clock = new VirtualClock({ startAt: 1_000_000 });
    const memory = memoryBackend({ clock });
    const asked: string[] = [];
    const counted: StopBackend = {
      ...memory,
      connect: async (node, events) => {
        const connection = await memory.connect(node, events);
        return new Proxy(connection, {
          get: (target, name: keyof StopConnection) => {
            const method = target[name] as ((...args: unknown[]) => unknown) | undefined;
            if (method === undefined) return undefined;
            return (...args: unknown[]) => {
              if (name === 'read' || name === 'swap') asked.push(name);
              return method.apply(target, args);
            };
          },
        });
      },
    };
    const [host, front] = [await openStopBus(counted, { clock }), await openStopBus(memory, { clock })];
    let settle!: (made: StopReport) => void;
    host.host('chat', { deliver: () => new Promise((resolve) => (settle = resolve)) });
    await clock.advance(10);
    asked.length = 0;
    const progress = await front.request({
      sessionId: 'chat',
      reason: createReason({ kind: 'user' }),
      turnId: undefined,
    });
    await clock.advance(50);
    expect([progress.status, asked]).toEqual(['observed', ['swap']]);
    settle(report);
    await clock.advance(50);
    expect((await front.look('chat')).state).toBe('open');
    expect(asked).toEqual(['swap', 'read', 'swap']);
    await Promise.all([host.close(), front.close()]);
  });
});
