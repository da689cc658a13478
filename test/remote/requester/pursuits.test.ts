import { describe, expect, it } from 'vitest';

import { during, twoProcesses } from '../kit.ts';

describe('the stops of a process', () => {
  it('the stops of a process are let go of when nobody has to look after them', async () => {
    const { clock, b } = await twoProcesses();
    for (let n = 0; n < 50; n++) await during(clock, b.sessions.cancel(String(n)));
    expect(clock.pending).toBe(0);
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
