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
