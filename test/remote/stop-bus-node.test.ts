import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/index.ts';
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
