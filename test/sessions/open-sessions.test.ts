import { describe, expect, it } from 'vitest';

import { endSession } from '../../src/sessions/open-sessions.ts';
import { SessionRegistry, type Session } from '../../src/sessions/index.ts';
import { inProcessStopBus } from '../../src/sessions/in-process-stop-bus.ts';
import { HostedSession } from '../../src/sessions/session.ts';
import type { EndOfHosting } from '../../src/sessions/stop-bus.ts';
import { during, twoProcesses } from '../remote/kit.ts';

describe('a session that is closed', () => {
  it.each([
    ['wrote it', () => Promise.resolve(true), true],
    ['could not write it', () => Promise.resolve(false), false],
    ['does not know', () => Promise.reject(new Error('closed')), false],
    ['is this process', undefined, true],
  ])('a session that is closed has ended when its bus %s', async (_, ended, isWritten) => {
    const session = new HostedSession('a', {}, () => Promise.resolve(true));
    const released: (EndOfHosting | undefined)[] = [];
    const tie = { release: (end?: EndOfHosting) => released.push(end), ...(ended && { ended }) };
    const end = await endSession({ session, tie, bus: inProcessStopBus() }, 'shutdown', true);
    expect(end).toMatchObject({ session, isWritten, report: { abandoned: [] } });
    expect(released).toMatchObject([{ willRetry: true }]);
  });
});

const ada = { kind: 'user', message: 'ada' } as const;
type Way = readonly [string, (sessions: SessionRegistry, session: Session) => unknown];
const ways: readonly Way[] = [
  ['sessions.cancel', (sessions, { id }) => sessions.cancel(id, ada)],
  ['sessions.cancel of its turn', (sessions, { id }) => sessions.cancel(id, ada, { turnId: 1 })],
  ['sessions.kill', (sessions, { id }) => sessions.kill(id, ada)],
  ['sessions.cancelAll', (sessions) => sessions.cancelAll(ada)],
  ['session.pause', (_sessions, { pause }) => pause(ada)],
  ['controller.cancel', (_sessions, { controller }) => controller.cancel(ada)],
  ['controller.kill', (_sessions, { controller }) => controller.kill(ada)],
];
type End = readonly [string, (sessions: SessionRegistry) => Promise<unknown>];
const ends: readonly End[] = [
  ['close', (sessions) => sessions.close('job', undefined, { willRetry: true })],
  ['drain', (sessions) => sessions.drain({ timeoutMs: 0, willRetry: true })],
];
const cases = ends.flatMap(([end, finish]) => ways.map(([way, stop]) => ({ end, finish, way, stop })));

describe('a session that a person has stopped', () => {
  it.each(cases)('a session stopped by $way and ended by $end is stopped at its retry', async ({ finish, stop }) => {
    const { clock, a, b } = await twoProcesses();
    const bus = inProcessStopBus({ clock });
    const alone = [new SessionRegistry({ bus, clock }), new SessionRegistry({ bus, clock })] as const;
    for (const [first, second] of [[a.sessions, b.sessions] as const, alone]) {
      const session = first.open('job');
      await during(clock, session.ready());
      const turn = session.controller.runTurn(({ token }) => token.whenCancelled());
      void stop(first, session);
      expect(await during(clock, turn)).toMatchObject({ status: 'cancelled', reason: { message: 'ada' } });
      await during(clock, finish(first));
      const retry = second.open('job');
      await during(clock, retry.ready());
      const report = await during(
        clock,
        retry.controller.runTurn(() => 'ran'),
      );
      expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user', message: 'ada' } });
    }
  });

  it.each(cases.filter(({ way }) => !way.endsWith('turn')))(
    'a session stopped by $way in the clean-up of a $end is stopped at its retry, also in the same tick',
    async ({ finish, stop }) => {
      for (const ms of [0, 1]) {
        const { clock, a, b } = await twoProcesses();
        const bus = inProcessStopBus({ clock });
        const alone = [new SessionRegistry({ bus, clock }), new SessionRegistry({ bus, clock })] as const;
        for (const [first, second] of [[a.sessions, b.sessions] as const, alone]) {
          const session = first.open('job');
          await during(clock, session.ready());
          const turn = session.controller.runTurn(async ({ token }) => {
            await token.whenCancelled();
            await new Promise<void>((resolve) => clock.setTimer(resolve, 200, { ref: true }));
          });
          const ending = finish(first);
          if (ms > 0) await clock.advance(100);
          void stop(first, session);
          await during(clock, Promise.all([ending, turn]));
          const retry = second.open('job');
          await during(clock, retry.ready());
          const report = await during(
            clock,
            retry.controller.runTurn(() => 'ran'),
          );
          expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user', message: 'ada' } });
        }
      }
    },
  );

  it('a session that is closed by a person, to be retried, is not stopped at its retry', async () => {
    const { clock, a, b } = await twoProcesses();
    const session = a.sessions.open('job');
    await during(clock, session.ready());
    const turn = session.controller.runTurn(({ token }) => token.whenCancelled());
    await during(clock, Promise.all([a.sessions.close('job', ada, { willRetry: true }), turn]));
    const retry = b.sessions.open('job');
    await during(clock, retry.ready());
    expect((await during(clock, retry.controller.runTurn(() => 'ran'))).status).toBe('completed'); // prettier-ignore
  });

  it.each([
    ['one turn, in its clean-up', { turnId: 1 }, 100],
    ['one turn, between two attempts', { turnId: 1 }, 300],
    ['one hosting, between two attempts', { epoch: 1_000_000 }, 300],
  ])('a session that ends to be retried says superseded of a stop of %s', async (_what, aim, ms) => {
    const { clock, a, b } = await twoProcesses();
    const session = a.sessions.open('job');
    await during(clock, session.ready());
    const turn = session.controller.runTurn(({ token }) =>
      token.whenCancelled().then(() => new Promise<void>((resolve) => clock.setTimer(resolve, 200, { ref: true }))),
    );
    const ending = a.sessions.close('job', undefined, { willRetry: true });
    await clock.advance(ms);
    const stop = b.sessions.cancel('job', ada, { ...aim, wait: 'settled' });
    await during(clock, Promise.all([ending, turn]));
    expect(await during(clock, stop)).toMatchObject({ status: 'superseded', timedOut: false });
    const retry = b.sessions.open('job');
    await during(clock, retry.ready());
    expect((await during(clock, retry.controller.runTurn(() => 'ran'))).status).toBe('completed'); // prettier-ignore
  });

  it.each(['over a bus', 'in one process'])(
    'a stop by id of an earlier turn is not for the retry of a later one, %s',
    async (where) => {
      const { clock, a, b } = await twoProcesses();
      const bus = inProcessStopBus({ clock });
      const alone = [new SessionRegistry({ bus, clock }), new SessionRegistry({ bus, clock })] as const;
      const [first, second] = where === 'over a bus' ? ([a.sessions, b.sessions] as const) : alone;
      const session = first.open('job');
      await during(clock, session.ready());
      const turn = session.controller.runTurn(({ token }) => token.whenCancelled());
      await during(clock, Promise.all([first.cancel('job', ada, { wait: 'settled' }), turn]));
      const failed = session.controller.runTurn(() => Promise.reject(new Error('network')));
      expect((await during(clock, failed)).status).toBe('failed');
      await during(clock, first.close('job', undefined, { willRetry: true }));
      const retry = second.open('job');
      await during(clock, retry.ready());
      expect((await during(clock, retry.controller.runTurn(() => 'ran'))).status).toBe('completed'); // prettier-ignore
    },
  );

  it.each([
    ['nobody has stopped', () => undefined],
    ['a shutdown has stopped', ({ pause }: Session) => pause('shutdown')],
    ['was given something new after a stop', ({ controller, pause }: Session) => pause(ada).then(() => controller.runTurn(() => 'new'))], // prettier-ignore
  ])('a session that %s runs at its retry', async (_what, stop) => {
    const { clock, a, b } = await twoProcesses();
    const session = a.sessions.open('job');
    await during(clock, session.ready());
    const turn = session.controller.runTurn(({ token }) => Promise.race([token.whenCancelled(), clock.advance(1)]));
    await during(clock, Promise.resolve(stop(session)));
    await during(clock, turn);
    await during(clock, a.sessions.close('job', undefined, { willRetry: true }));
    const retry = b.sessions.open('job');
    await during(clock, retry.ready());
    expect(
      (
        await during(
          clock,
          retry.controller.runTurn(() => 'ran'),
        )
      ).status,
    ).toBe('completed');
  });
});
