/** What a host tells in its own process: whom it reaches, and what the record has of it. */
import { describe, expect, it } from 'vitest';

import { openStopBus } from '../../src/remote/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { ada, slowProcess } from '../sessions/attempts.ts';
import { during, twoProcesses } from './kit.ts';

const ways: readonly [string, (sessions: SessionRegistry) => Promise<unknown>][] = [
  ['pause', (sessions) => sessions.open('job').pause(ada)],
  ['cancelAll', (sessions) => sessions.cancelAll(ada)],
  ['kill', (sessions) => sessions.kill('job', ada)],
  ['cancel', (sessions) => sessions.cancel('job', ada)],
];

describe('what a host tells', () => {
  it.each(ways)(
    'a stop that a host tells by %s is of no member of a turn that came later, wherever that works',
    async (_how, stop) => {
      const { clock, backend, b } = await twoProcesses();
      const sessions = await slowProcess(clock, backend);
      const { controller, ready } = sessions.open('job');
      await during(clock, ready());
      const first = b.bus.join('job', { turnId: 1 });
      first.token.onCancelled(() => first.release());
      const turn = controller.runTurn(({ token }) => token.whenCancelled());
      await clock.advance(50);
      const stopped = stop(sessions);
      const gate = new Promise<void>((end) => clock.setTimer(end, 1_000, { ref: true }));
      const next = controller.runTurn(() => gate, { whenBusy: 'queue' });
      const second = b.bus.join('job', { turnId: 2 });
      await clock.advance(500);
      expect([first.token.isCancelled, second.token.isCancelled]).toEqual([true, false]);
      second.release();
      await during(clock, stopped);
      expect([(await turn).status, (await during(clock, next)).status]).toEqual(['cancelled', 'completed']);
    },
  );

  it.each([
    ...ways,
    ['close', (sessions: SessionRegistry) => sessions.close('job')],
    ['drain', (sessions: SessionRegistry) => sessions.drain({ timeoutMs: 0 })],
  ] as typeof ways)(
    'a stop that a host tells by %s is known to a member beside it at once, whatever the engine does',
    async (_how, stop) => {
      const { clock, backend } = await twoProcesses();
      const never = new Promise<never>(() => undefined);
      const connect: typeof backend.connect = async (node, events) => {
        const real = await backend.connect(node, events);
        return { ...real, ...{ close: () => Promise.resolve(), reset: () => undefined, listen: () => Promise.resolve() }, ...{ alive: () => real.alive([]), list: () => never, pull: () => never, read: () => never, renew: () => never, swap: () => never } }; // prettier-ignore
      };
      const bus = await openStopBus({ ...backend, connect }, { clock });
      const sessions = new SessionRegistry({ bus, clock });
      sessions.open('job');
      const member = bus.join('job');
      void stop(sessions);
      await clock.advance(0);
      expect(member.token.isCancelled).toBe(true);
      member.release();
      await during(clock, bus.close({ timeoutMs: 10 }));
    },
  );

  it('a stop that a host tells blames nobody where its own work takes longer than others have', async () => {
    const { clock, a, b } = await twoProcesses({ confirmMs: 1_000 });
    const session = a.sessions.open('job', { graceMs: 60_000 });
    await during(clock, session.ready());
    const member = b.bus.join('job');
    member.token.onCancelled(() => void clock.setTimer(() => member.release(), 1_400, { ref: true }));
    for (const cleanUpMs of [6_000, 0]) {
      const turn = session.controller.runTurn(async ({ token }) => {
        await token.whenCancelled();
        await new Promise<void>((end) => clock.setTimer(end, cleanUpMs, { ref: true }));
      });
      await clock.advance(50);
      expect((await during(clock, session.pause(ada))).unconfirmed).toBeUndefined();
      await turn;
    }
  });

  it.each([
    ['never used', 'cancel'],
    ['closed before', 'cancel'],
    ['closed before', 'cancelGroup'],
  ])(
    'a stop that a host tells before the claim of a session that was %s, by %s, is of its hosting',
    async (used, how) => {
      for (const willRetry of [true, false]) {
        const { clock, backend, b } = await twoProcesses();
        const sessions = await slowProcess(clock, backend, 30, 30);
        const open = () => sessions.open('job', { groups: ['g'] });
        if (used !== 'never used') await during(clock, open().ready());
        if (used !== 'never used') await during(clock, sessions.close('job'));
        open();
        const asked = how === 'cancel' ? sessions.cancel('job', ada) : sessions.cancelGroup('g', ada);
        await during(clock, sessions.close('job', undefined, { willRetry }));
        const next = b.sessions.open('job');
        await during(clock, next.ready());
        const { status } = await during(
          clock,
          next.controller.runTurn(() => 'ran'),
        );
        expect([willRetry, status]).toEqual([willRetry, willRetry ? 'cancelled' : 'completed']);
        await during<unknown>(clock, asked);
      }
    },
  );

  it.each([1, undefined])(
    'before the claim waits for its own work, and tells the worker of turn %s',
    async (turnId) => {
      const { clock, backend, b } = await twoProcesses();
      const sessions = await slowProcess(clock, backend, 30, 30);
      await during(clock, sessions.open('job').ready());
      await during(clock, sessions.close('job'));
      const { controller } = sessions.open('job', { graceMs: 60_000 });
      const member = b.bus.join('job', { turnId: 1 });
      const asked = sessions.cancel('job', ada, { turnId, wait: 'settled', timeoutMs: 60_000 });
      const turn = controller.runTurn(() => 'never');
      await clock.advance(500);
      expect(member.token.isCancelled).toBe(true);
      let isOver = false;
      void asked.then(() => (isOver = true));
      await clock.advance(500);
      expect(isOver).toBe(false);
      member.release();
      expect([(await during(clock, asked)).status, (await turn).status]).toEqual(['settled', 'cancelled']);
    },
  );
});
