import { describe, expect, it } from 'vitest';

import { twoProcesses } from '../kit.ts';

const reports = { deliver: () => new Promise<never>(() => undefined) };

describe('a stop that somebody waits for', () => {
  it('D5 a stop that somebody waits for is never said to be settled while its work goes on', async () => {
    const { clock, a, b } = await twoProcesses();
    a.bus.host('chat', reports);
    await clock.advance(10);
    const asked = b.sessions.cancel('chat', 'x', { wait: 'settled', timeoutMs: 3_000 });
    await clock.advance(3_000);
    expect(await asked).toMatchObject({ status: 'observed', timedOut: true });
  });

  it('D6 a stop that somebody waits for comes to runner-dead when its host is gone without a word', async () => {
    const { clock, backend, b } = await twoProcesses();
    const silent = { wake: () => undefined, resync: () => undefined, down: () => undefined };
    const gone = await backend.connect('gone', silent);
    const to = '[1,5,1,"gone","c",[],[]]';
    await gone.pull(15_000, 'g');
    await gone.swap({ runId: 'chat', from: undefined, to, ttlMs: 1e6, inboxes: [], hints: [], handled: false });
    const asked = b.sessions.cancel('chat', 'x', { wait: 'settled', timeoutMs: 60_000 });
    await clock.advance(15_000 + 7_500 + 2_000);
    expect(await asked).toMatchObject({ status: 'runner-dead', timedOut: false });
  });
});
