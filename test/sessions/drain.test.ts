import { describe, expect, it } from 'vitest';

import { CancellationTokenSource, type CancellationToken } from '../../src/index.ts';
import { SessionRegistry, type Session } from '../../src/sessions/index.ts';
import { inProcessStopBus } from '../../src/sessions/in-process-stop-bus.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { during, twoProcesses } from '../remote/kit.ts';
import { beginAttempt } from './attempts.ts';

const limits = { timeoutMs: 0 };

describe('a drain', () => {
  it.each([
    ['its close is under way, and what it cleans up ends in time', 5_000, 200, ['job'], []],
    ['its close is under way, and what it cleans up takes longer', 100, 200, [], ['job']],
    ['another process has opened it', 5_000, 200, ['job'], []],
  ])('a drain waits for a session and names it where %s', async (what, timeoutMs, ms, finished, stopped) => {
    const { clock, a, b } = await twoProcesses();
    const attempt = await beginAttempt(clock, a.sessions, ms);
    let isOver = false;
    void attempt.turn.then(() => (isOver = true));
    if (what.startsWith('its close')) void a.sessions.close('job');
    else await during(clock, b.sessions.open('job').ready());
    await clock.advance(0);
    const report = await during(clock, a.sessions.drain({ timeoutMs }));
    expect([isOver, report.finished, report.stopped.map(({ sessionId }) => sessionId)]).toEqual([
      true,
      finished,
      stopped,
    ]);
    expect((await during(clock, b.sessions.look('job'))).state).toBe(what.startsWith('its close') ? 'closed' : 'open');
  });

  it('a drain says of a session that was closed before it whether that is written', async () => {
    const clock = new VirtualClock();
    const bus = inProcessStopBus({ clock });
    const host: typeof bus.host = (...args) => ({ ...bus.host(...args), ended: () => Promise.resolve(false) });
    const sessions = new SessionRegistry({ clock, bus: { host, request: (asked) => bus.request(asked) } });
    const { turn } = await beginAttempt(clock, sessions, 100);
    void sessions.close('job');
    expect(await during(clock, sessions.drain({ timeoutMs: 1_000 }))).toMatchObject({ unconfirmed: ['job'] });
    await turn;
  });

  it.each([
    ['by a close', 50, (sessions: SessionRegistry) => void sessions.close('job')],
    ['by a person', 50, (_: SessionRegistry, { controller }: Session) => void controller.cancel('user')],
    ['by a person, and is over,', 500, (_: SessionRegistry, { controller }: Session) => void controller.cancel('user')],
    ['elsewhere', 50, (_: SessionRegistry, _session: Session, b: SessionRegistry) => void b.open('job')],
  ])('a drain names a session whose end was begun %s and left its work behind', async (how, ms, end) => {
    const { clock, a, b } = await twoProcesses();
    const alone = how === 'elsewhere' ? [] : [new SessionRegistry({ clock })];
    for (const sessions of [a.sessions, ...alone]) {
      const session = sessions.open('job', { graceMs: 200 });
      await during(clock, session.ready());
      const turn = session.controller.runTurn(() => new Promise(() => undefined));
      await clock.advance(0);
      end(sessions, session, b.sessions);
      await clock.advance(ms);
      const { stopped, ...rest } = await during(clock, sessions.drain({ timeoutMs: 5_000 }), 1_000);
      expect([stopped, rest]).toMatchObject([[{ sessionId: 'job', report: { abandoned: ['job'] } }], { finished: [] }]);
      expect([rest.unconfirmed, (await turn).stop?.abandoned]).toEqual([undefined, ['job']]);
    }
  });

  it.each([
    ['before', { unconfirmed: ['job'] }, 'silent'],
    ['beside', { unconfirmed: ['job'] }, 'silent'],
    ['in the clean-up of', {}, 'closed'],
  ])(
    'a drain says whether others know of the end of a session whose bus is closed %s it',
    async (when, said, state) => {
      const { clock, a, b } = await twoProcesses();
      const session = a.sessions.open('job', { graceMs: 60_000 });
      await during(clock, session.ready());
      const turn = session.controller.runTurn(
        () => new Promise<void>((end) => clock.setTimer(end, 9_000, { ref: true })),
      );
      await clock.advance(0);
      if (when === 'before') await during(clock, a.bus.close({ timeoutMs: 100 }));
      const drained = a.sessions.drain(limits);
      if (when.startsWith('in')) await clock.advance(100);
      if (when !== 'before') await during(clock, a.bus.close({ timeoutMs: 100 }));
      const { finished, stopped, ...rest } = await during(clock, drained);
      expect([finished, stopped.map(({ sessionId }) => sessionId), rest]).toEqual([[], ['job'], said]);
      await clock.advance(60_000);
      expect((await during(clock, b.sessions.look('job'))).state).toBe(state);
      await turn;
    },
  );

  it('a drain lets no turn begin that waits in line, and names its session as stopped', async () => {
    const { clock, a } = await twoProcesses();
    for (const sessions of [a.sessions, new SessionRegistry({ clock })]) {
      const { turn, session } = await beginAttempt(clock, sessions, 0);
      let begun = 0;
      const next = [1, 2].map(() => session.controller.runTurn(() => begun++, { whenBusy: 'queue' }));
      await clock.advance(0);
      void clock.setTimer(() => void session.controller.cancel('enough'), 50, { ref: true });
      const drained = await during(clock, sessions.drain({ timeoutMs: 5_000 }), 200);
      for (const one of next) expect(await one).toMatchObject({ status: 'cancelled', reason: { kind: 'shutdown' } });
      expect([begun, drained]).toMatchObject([0, { finished: [], stopped: [{ sessionId: 'job' }] }]);
      await turn;
    }
  });

  it.each(['a child', 'a child of a child', 'a detached child'])('a drain lets no turn of %s begin', async (who) => {
    const clock = new VirtualClock();
    const sessions = new SessionRegistry({ clock });
    const own = sessions.open('a').controller;
    const child = own.child('child', { detached: who === 'a detached child' });
    const agent = who === 'a child of a child' ? child.child('below') : child;
    let begun = 0;
    const wait = (): Promise<void> => new Promise((end) => clock.setTimer(end, 100, { ref: true }));
    const first = agent.runTurn(wait);
    const inLine = agent.runTurn(() => begun++, { whenBusy: 'queue' });
    const drained = sessions.drain({ timeoutMs: 5_000 });
    const refused = [
      inLine,
      agent.runTurn(() => begun++, { whenBusy: 'queue' }),
      own.child('new').runTurn(() => begun++),
      agent.background('new', () => begun++).outcome,
    ];
    const stopped = [{ sessionId: 'a', report: { reason: { kind: 'shutdown' } } }];
    expect(await during(clock, drained, 200)).toMatchObject({ finished: [], stopped });
    const cancelled = { status: 'cancelled', reason: { kind: 'shutdown' } };
    expect([(await first).status, await Promise.all(refused), begun]).toMatchObject([
      'completed',
      [cancelled, cancelled, cancelled, cancelled],
      0,
    ]);
  });

  it.each(['drain', 'close'])('a turn whose ticket was taken before a %s is cancelled with why', async (how) => {
    const sessions = new SessionRegistry({ clock: new VirtualClock() });
    const { controller } = sessions.open('a');
    const ticket = controller.accept();
    await (how === 'drain' ? sessions.drain({ timeoutMs: 1_000 }) : sessions.close('a'));
    const report = await controller.runTurn(() => 'never', { ticket });
    expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'shutdown' } });
    await expect(new SessionRegistry().open('b').controller.runTurn(() => 'never', { ticket })).rejects.toThrow(
      'ticket',
    );
  });

  it('a drain says finished where all that came in it was refused, of a child as well', async () => {
    const clock = new VirtualClock();
    const sessions = new SessionRegistry({ clock });
    const own = sessions.open('a').controller;
    const child = own.child('child');
    const wait = (): Promise<void> => new Promise((end) => clock.setTimer(end, 100, { ref: true }));
    const first = child.runTurn(wait);
    const drained = sessions.drain({ timeoutMs: 5_000 });
    const refused = [child.runTurn(wait, { whenBusy: 'queue' }), own.runTurn(wait)];
    const jobs = [child, own].map((agent) => agent.background('job', wait).outcome);
    expect(await during(clock, drained, 200)).toEqual({ finished: ['a'], stopped: [] });
    const all = await Promise.all([...refused, ...jobs]);
    expect([(await first).status, all.map(({ status }) => status)]).toEqual([
      'completed',
      ['cancelled', 'cancelled', 'cancelled', 'cancelled'],
    ]);
  });

  it('a drain lets a turn that runs have its children, and nothing of them begin after it', async () => {
    const clock = new VirtualClock();
    const sessions = new SessionRegistry({ clock });
    const { controller } = sessions.open('a');
    const child = controller.child('child');
    const wait = (): Promise<void> => new Promise((end) => clock.setTimer(end, 100, { ref: true }));
    let left: Promise<{ readonly status: string }> | undefined;
    const turn = controller.runTurn(async () => {
      await wait();
      const { status } = await child.runTurn(wait);
      void child.runTurn(wait);
      left = child.runTurn(() => 'never', { whenBusy: 'queue' });
      return status;
    });
    const { stopped } = await during(clock, sessions.drain({ timeoutMs: 5_000 }), 500);
    expect((await turn).unwrap()).toBe('completed');
    expect([(await left)?.status, stopped.length]).toEqual(['cancelled', 1]);
  });

  it.each([
    ['a turn', 'by a person', 'user'],
    ['a turn', 'elsewhere', 'superseded'],
    ['a turn', 'with its bus', 'lease-lost'],
    ['a child', 'with its bus', 'lease-lost'],
    ['background work', 'with its bus', 'lease-lost'],
  ])('a drain says stopped where %s is stopped in it %s', async (what, how, kind) => {
    const { clock, a, b } = await twoProcesses();
    const session = a.sessions.open('job');
    await during(clock, session.ready());
    const { controller } = session;
    const work = async ({ token }: { readonly token: CancellationToken }): Promise<void> => {
      await token.whenCancelled();
      token.throwIfCancelled();
    };
    if (what === 'background work') controller.background('index', work);
    else void (what === 'a turn' ? controller : controller.child('child')).runTurn(work);
    const drained = a.sessions.drain({ timeoutMs: 60_000 });
    await clock.advance(10);
    if (how === 'by a person') controller.cancelAll('user');
    else if (how === 'elsewhere') b.sessions.open('job');
    else void a.bus.close({ timeoutMs: 100 });
    const { finished, stopped } = await during(clock, drained, 10_000);
    expect([finished, stopped]).toMatchObject([[], [{ sessionId: 'job', report: { reason: { kind } } }]]);
  });

  it('a second drain is the first one, and whoever has less time counts', async () => {
    const clock = new VirtualClock();
    const sessions = new SessionRegistry({ clock });
    const { turn } = await beginAttempt(clock, sessions, 200);
    const first = sessions.drain({ timeoutMs: 60_000 });
    await clock.advance(100);
    const second = sessions.drain(limits);
    await clock.advance(0);
    const third = sessions.drain(limits);
    const [report, ...others] = await during(clock, Promise.all([first, second, third]), 300);
    expect(report.stopped.map(({ sessionId }) => sessionId)).toEqual(['job']);
    for (const other of others) expect(other).toBe(report);
    expect((await turn).status).toBe('cancelled');
    expect([await sessions.drain(limits), clock.pending]).toEqual([report, 0]);
  });

  it.each(['the first', 'a later', 'a last'])('a drain is hurried by the token of %s who asks for it', async (who) => {
    const clock = new VirtualClock();
    const sessions = new SessionRegistry({ clock });
    const hurry = new CancellationTokenSource();
    const { controller } = sessions.open('deaf', { graceMs: 60_000 });
    const turn = controller.runTurn(() => new Promise(() => undefined));
    if (who === 'a last') void sessions.close('deaf');
    const first = sessions.drain({ timeoutMs: 0, ...(who === 'the first' && { token: hurry.token }) });
    // Nobody waits any longer by then.
    await clock.advance(10);
    if (who !== 'the first') void sessions.drain({ timeoutMs: 60_000, token: hurry.token });
    await clock.advance(10);
    hurry.kill();
    const { stopped } = await during(clock, first, 10);
    expect(stopped).toMatchObject([{ sessionId: 'deaf', report: { abandoned: ['deaf'] } }]);
    await turn;
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['its close', (sessions: SessionRegistry) => sessions.close('deaf')],
    ['a person', (sessions: SessionRegistry) => sessions.cancel('deaf')],
  ])(
    'a drain says stopped of a session that %s has stopped before, and whose work was left behind',
    async (_by, stop) => {
      const clock = new VirtualClock();
      const sessions = new SessionRegistry({ clock });
      const { controller } = sessions.open('deaf', { graceMs: 200 });
      const turn = controller.runTurn(() => new Promise(() => undefined));
      await clock.advance(0);
      void stop(sessions);
      const report = await during(clock, sessions.drain({ timeoutMs: 5_000 }));
      expect(report).toMatchObject({ finished: [], stopped: [{ report: { abandoned: ['deaf'] } }] });
      await turn;
    },
  );
});
