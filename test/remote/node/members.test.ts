import { describe, expect, it } from 'vitest';

import { obedient } from '../../core/interrupt/kit.ts';
import { during, forgetfulEngine, twoProcesses } from '../kit.ts';

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

  it.each(['close', 'drain'] as const)(
    'a member of a run is told of its end by a %s, which a later stop waits for until it has left',
    async (how) => {
      const { clock, a, b } = await twoProcesses();
      void a.sessions.open('chat').controller.runTurn(obedient);
      const member = b.bus.join('chat');
      await clock.advance(50);
      const end = how === 'close' ? a.sessions.close('chat', { kind: 'shutdown' }) : a.sessions.drain({ timeoutMs: 0 });
      await during(clock, Promise.resolve<unknown>(end));
      await clock.advance(50);
      expect(member.token.reason?.kind).toBe('shutdown');
      const asked = b.sessions.cancel('chat', 'user', { wait: 'settled', timeoutMs: 500 });
      expect(await during(clock, asked)).toMatchObject({ timedOut: true, reason: { kind: 'shutdown' } });
      member.release();
      const after = await during(clock, b.sessions.cancel('chat', 'user', { wait: 'settled' }));
      expect([after.status, after.timedOut]).toEqual(['settled', false]);
      for (const { bus } of [a, b]) await during(clock, bus.close());
      expect(clock.pending).toBe(0);
    },
  );

  it.each(['ended', 'ended, and opened again'])(
    'a member of a run that is %s before anybody has written again what the engine lost is told of that end',
    async (how) => {
      const { clock, open, lose } = forgetfulEngine();
      const [host, worker] = [await open(), await open()];
      void host.sessions.open('chat').controller.runTurn(obedient);
      const member = worker.bus.join('chat');
      await clock.advance(50);
      lose();
      await during(clock, host.sessions.close('chat', 'done with it'));
      if (how !== 'ended') await during(clock, host.sessions.open('chat').ready());
      // The next heartbeat finds the loss.
      await clock.advance(5_100);
      expect(member.token.reason?.message).toBe('done with it');
      // Who joins once it has ended works for what comes next.
      const next = worker.bus.join('chat');
      await clock.advance(5_100);
      expect(next.token.isCancelled).toBe(false);
      for (const each of [member, next]) each.release();
      await during(clock, host.sessions.drain({ timeoutMs: 0 }));
      for (const { bus } of [host, worker]) await during(clock, bus.close());
      expect(clock.pending).toBe(0);
    },
  );

  it('a member of a run that may be tried again hears of the end of an attempt no word, and of the end for good', async () => {
    const { clock, a, b } = await twoProcesses();
    a.sessions.open('chat');
    using member = b.bus.join('chat');
    await clock.advance(50);
    await during(clock, a.sessions.close('chat', undefined, { willRetry: true }));
    await clock.advance(20_000);
    expect(member.token.isCancelled).toBe(false);
    a.sessions.open('chat');
    await clock.advance(50);
    await during(clock, a.sessions.close('chat', 'done with it'));
    await clock.advance(50);
    expect(member.token.reason?.message).toBe('done with it');
  });

  it('a member of a run that comes late is told at once, and one of another turn is not', async () => {
    const { clock, a, b } = await twoProcesses();
    await during(clock, a.sessions.cancel('chat', 'early', { turnId: 2 }));
    using late = b.bus.join('chat');
    using other = b.bus.join('chat', { turnId: 1 });
    await clock.advance(20);
    expect([late.token.isCancelled, other.token.isCancelled]).toEqual([true, false]);
  });

  it('a member of a run that has 64 already is one as soon as another has left', async () => {
    const { clock, open, a, b } = await twoProcesses();
    const c = await open();
    a.sessions.open('chat');
    const others = Array.from({ length: 64 }, () => b.bus.join('chat'));
    await clock.advance(1_000);
    const degraded: string[] = [];
    c.bus.onEvent((event) => {
      if (event.type === 'degraded') degraded.push(String(event.error));
    });
    using late = c.bus.join('chat');
    await clock.advance(10_000);
    expect(degraded[0]).toBe('RangeError: the run "chat" has 64 members, which is the most');
    others[0]?.release();
    await clock.advance(10_000);
    const asked = a.sessions.cancel('chat', 'enough', { wait: 'settled' });
    await clock.advance(50);
    for (const other of others) other.release();
    expect(late.token.reason?.message).toBe('enough');
    await clock.advance(5_000);
    expect(await during(clock, asked)).toMatchObject({ status: 'observed', timedOut: true });
  });

  it.each([
    ['', undefined],
    ['chat', null],
    ['chat', { turnId: '1' }],
    ['chat', { turnId: 0 }],
    ['chat', { turnID: 3 }],
  ])('a member of a run is refused with %o and %o', async (id, options) => {
    const { clock, a } = await twoProcesses();
    expect(() => a.bus.join(id, options as never)).toThrow(
      /^(id|options|turnId|options\.turnID) (must be|is no option)/,
    );
    await during(clock, a.bus.close());
    expect(clock.pending).toBe(0);
  });
});
