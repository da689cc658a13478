import { describe, expect, it } from 'vitest';

import { obedient } from '../../core/interrupt/kit.ts';
import { openStopBus, type StopBackend, type StopConnection } from '../../../src/remote/index.ts';
import { SessionRegistry } from '../../../src/sessions/index.ts';
import type { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { during, forgetfulEngine, twoProcesses } from '../kit.ts';

/** A process whose engine can no longer be reached, from one instant to another. */
async function openDying(clock: VirtualClock, { connect, ...backend }: StopBackend) {
  const state = { isDead: false };
  const bus = await openStopBus(
    {
      ...backend,
      connect: async (node, events, limits) => {
        const real = await connect(node, events, limits);
        const call =
          (name: keyof StopConnection) =>
          (...args: readonly unknown[]): unknown =>
            state.isDead ? Promise.reject(new Error('dead')) : Reflect.apply(real[name], real, args);
        return new Proxy(real, { get: (_real, name) => (name === 'then' ? undefined : call(name as never)) });
      },
    },
    { clock, confirmMs: 1_000 },
  );
  return { bus, die: () => (state.isDead = true), revive: () => (state.isDead = false) };
}

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

  it('a member of a run that has 64 already is refused, by an error of its own, and the engine is well', async () => {
    const { clock, open, a, b } = await twoProcesses({ onUnavailable: 'throw' });
    const c = await open();
    a.sessions.open('chat');
    const others = Array.from({ length: 64 }, () => b.bus.join('chat'));
    const full = 'the session "chat" has 64 members, which is the most';
    expect(() => b.bus.join('chat')).toThrow(new RangeError(full));
    await clock.advance(1_000);
    const said: string[] = [];
    c.bus.onEvent(({ type }) => said.push(type));
    const late = c.bus.join('chat');
    await clock.advance(10_000);
    expect([late.token.reason?.message, late.token.reason?.cause, said]).toEqual([full, new RangeError(full), []]);
    c.sessions.open('other');
    late.release();
    others[0]?.release();
    await clock.advance(10);
    using again = c.bus.join('chat');
    await clock.advance(50);
    void a.sessions.cancel('chat', 'enough');
    await clock.advance(50);
    expect(again.token.reason?.message).toBe('enough');
  });

  it('a member of a run takes the place of one that leaves just before it, while that is written', async () => {
    const { clock, backend, a } = await twoProcesses();
    let late = 0;
    const connect: StopBackend['connect'] = async (node, events) => {
      const real = await backend.connect(node, events);
      const swap = real.swap.bind(real);
      real.swap = async (change) => {
        if (late-- > 0) await new Promise<void>((resolve) => void clock.setTimer(resolve, 20, { ref: true }));
        return swap(change);
      };
      return real;
    };
    const bus = await openStopBus({ ...backend, connect }, { clock });
    a.sessions.open('chat');
    const members = Array.from({ length: 64 }, () => bus.join('chat'));
    await clock.advance(1_000);
    late = 1;
    members.shift()?.release();
    const next = bus.join('chat');
    await clock.advance(1_000);
    expect([...members, next].filter(({ token }) => token.isCancelled)).toEqual([]);
    void a.sessions.cancel('chat', 'enough');
    await clock.advance(50);
    expect(next.token.reason?.message).toBe('enough');
  });

  it.each([
    ['cancel', (sessions: SessionRegistry) => sessions.cancel('chat', 'enough')],
    ['cancelGroup', (sessions: SessionRegistry) => sessions.cancelGroup('g', 'enough')],
    ['pause', (sessions: SessionRegistry) => sessions.open('chat').pause('enough')],
    ['kill', (sessions: SessionRegistry) => sessions.kill('chat', 'enough')],
  ])("a member of a run in its host's own process is told of a %s while the engine is away", async (how, stop) => {
    const { clock, backend } = await twoProcesses();
    const { bus, die } = await openDying(clock, backend);
    const sessions = new SessionRegistry({ bus, clock });
    void sessions.open('chat', { groups: ['g'] }).controller.runTurn(obedient);
    const [member, other] = [bus.join('chat'), bus.join('other')];
    await clock.advance(50);
    die();
    const said = stop(sessions) as Promise<unknown>;
    await clock.advance(0);
    expect([member, other].map(({ token }) => token.reason?.message)).toEqual(['enough', undefined]);
    expect(member.token.isKilled).toBe(how === 'kill');
    // Twice confirmMs: to be written, and for whoever was told to end.
    await during(clock, said, 2_010);
  });

  it.each(['a host', 'nobody who hosts it'])(
    'D6 a member of a run with %s that died goes from its record within a lease and a half, and keeps nobody out',
    async (who) => {
      const { clock, backend, open, a, b } = await twoProcesses();
      const dead = await openDying(clock, backend);
      if (who === 'a host') a.sessions.open('chat');
      for (let n = 0; n < 64; n++) dead.bus.join('chat');
      await clock.advance(100);
      dead.die();
      await clock.advance(22_500);
      using member = b.bus.join('chat');
      await clock.advance(50);
      expect(member.token.isCancelled).toBe(false);
      if (who !== 'a host') await during(clock, a.sessions.open('chat').ready());
      const asked = await during(clock, (await open()).sessions.cancel('chat', 'enough', { timeoutMs: 100, wait: 'settled' })); // prettier-ignore
      expect([member.token.reason?.message, asked.status]).toEqual(['enough', 'observed']);
      member.release();
      const last = await during(clock, a.sessions.cancel('chat', 'enough', { wait: 'settled' }));
      expect(last.status).toBe('settled');
    },
  );

  it('D12 a member of a run that was taken for dead writes itself down again when it is back', async () => {
    const { clock, backend, a } = await twoProcesses();
    const away = await openDying(clock, backend);
    a.sessions.open('chat');
    using member = away.bus.join('chat');
    await clock.advance(100);
    away.die();
    await clock.advance(22_500);
    expect(member.token.reason?.kind).toBe('lease-lost');
    away.revive();
    await clock.advance(10_000);
    const asked = a.sessions.cancel('chat', 'enough', { wait: 'settled', timeoutMs: 1_000 });
    expect(await during(clock, asked)).toMatchObject({ status: 'observed', timedOut: true });
  });

  it.each(['an attempt that is to be tried again', 'another member'])(
    'D11 a member of a run is known longer than a stop waits, after %s has ended',
    async (what) => {
      const { clock, open, a, b } = await twoProcesses({ pendingMs: 2_000 });
      using member = b.bus.join('chat');
      await clock.advance(50);
      if (what === 'another member') {
        const other = (await open()).bus.join('chat');
        await clock.advance(50);
        other.release();
      } else {
        a.sessions.open('chat');
        await during(clock, a.sessions.close('chat', undefined, { willRetry: true }));
      }
      await clock.advance(100_000);
      await during(clock, a.sessions.open('chat').ready());
      const asked = a.sessions.cancel('chat', 'enough', { wait: 'settled', timeoutMs: 1_000 });
      expect((await during(clock, asked)).status).toBe('observed');
      expect(member.token.reason?.message).toBe('enough');
    },
  );

  it.each([
    ['pause', 'cancel', (sessions: SessionRegistry) => sessions.open('chat').pause('shutdown')],
    ['cancelAll', 'cancel', (sessions: SessionRegistry) => sessions.cancelAll('shutdown')],
    ['kill', 'kill', (sessions: SessionRegistry) => sessions.kill('chat', 'shutdown')],
  ] as const)(
    'a member of a run is told of a %s by its host, which waits for it, and the next attempt is not',
    async (_way, level, stop) => {
      const { clock, a, b } = await twoProcesses();
      const turn = a.sessions.open('chat').controller.runTurn(obedient);
      const [prompt, deaf] = [b.bus.join('chat'), b.bus.join('chat')];
      prompt.token.onCancelled(() => clock.setTimer(() => prompt.release(), 300, { ref: true }));
      await clock.advance(50);
      deaf.release();
      const said = stop(a.sessions) as Promise<unknown>;
      await clock.advance(250);
      expect(await during(clock, a.sessions.look('chat'))).toMatchObject({ stop: { status: 'observed' } });
      const reports = [await during(clock, said)].flat();
      expect([prompt.token.reason?.kind, prompt.token.isKilled]).toEqual(['shutdown', level === 'kill']);
      expect(reports).toMatchObject([{ operations: (await turn).stop?.operations }]);
      expect(reports[0]).not.toHaveProperty('unconfirmed');
      using late = b.bus.join('chat');
      await clock.advance(50);
      const more = a.sessions.open('chat').controller.runTurn(obedient);
      const unsure = [await during(clock, stop(a.sessions) as Promise<unknown>)].flat();
      expect([unsure, late.token.isCancelled]).toMatchObject([[{ unconfirmed: true }], true]);
      await more;
      await during(clock, a.sessions.close('chat', undefined, { willRetry: true }));
      const next = b.sessions.open('chat');
      await during(clock, next.ready());
      expect(
        (
          await during(
            clock,
            next.controller.runTurn(() => 'ran'),
          )
        ).status,
      ).toBe('completed');
    },
  );

  it('a member of a run that a stop has told is waited for by the close of its bus', async () => {
    const { clock, open, a, b } = await twoProcesses();
    a.sessions.open('chat');
    const member = b.bus.join('chat');
    member.token.onCancelled(() => clock.setTimer(() => member.release(), 600, { ref: true }));
    await clock.advance(50);
    const asked = (await open()).sessions.cancel('chat', 'enough', { wait: 'settled' });
    await clock.advance(50);
    const from = clock.now();
    await during(clock, b.bus.close());
    expect(clock.now() - from).toBeGreaterThan(500);
    expect((await during(clock, asked)).status).toBe('settled');
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
