import { describe, expect, it } from 'vitest';

import { obedient } from '../../core/interrupt/kit.ts';
import { during, twoProcesses } from '../kit.ts';

describe('a member of a run', () => {
  it('a member of a run is told of a stop, and the stop waits for it', async () => {
    const { clock, a, b } = await twoProcesses();
    const turn = a.sessions.open('chat').controller.runTurn(obedient);
    const member = b.bus.join('chat');
    await clock.advance(10);
    const asked = a.sessions.cancel('chat', 'enough', { wait: 'settled', timeoutMs: 500 });
    await clock.advance(20);
    expect([member.token.reason?.message, (await turn).status]).toEqual(['enough', 'cancelled']);
    expect(await during(clock, asked)).toMatchObject({ status: 'observed', timedOut: true });
    const again = a.sessions.cancel('chat', 'again', { wait: 'settled' });
    await clock.advance(20);
    member.release();
    expect((await during(clock, again)).status).toBe('settled');
  });

  it('a member of a run that comes late is told at once, and one of another turn is not', async () => {
    const { clock, a, b } = await twoProcesses();
    await during(clock, a.sessions.cancel('chat', 'early', { turnId: 2 }));
    using late = b.bus.join('chat');
    using other = b.bus.join('chat', { turnId: 1 });
    await clock.advance(20);
    expect([late.token.isCancelled, other.token.isCancelled]).toEqual([true, false]);
  });
});
