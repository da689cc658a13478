import { describe, expect, it } from 'vitest';

import { obedient } from '../../core/interrupt/kit.ts';
import { during, twoProcesses } from '../kit.ts';

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
});
