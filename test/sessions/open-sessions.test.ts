import { describe, expect, it } from 'vitest';

import { OpenSessions, type OpenSession } from '../../src/sessions/open-sessions.ts';
import { openStopBus } from '../../src/remote/index.ts';
import { SessionRegistry, type Session } from '../../src/sessions/index.ts';
import { inProcessStopBus } from '../../src/sessions/in-process-stop-bus.ts';
import { HostedSession } from '../../src/sessions/session.ts';
import type { EndOfHosting } from '../../src/sessions/stop-bus.ts';
import { during, twoProcesses } from '../remote/kit.ts';
import { ada, beginAttempt, bob, ends, nextAttempt, places, slowProcess, ways, type Place } from './attempts.ts';

describe('a session that is closed', () => {
  it.each([
    ['wrote it', () => Promise.resolve(true), undefined],
    ['could not write it', () => Promise.resolve(false), true],
    ['does not know', () => Promise.reject(new Error('closed')), true],
    ['is this process', undefined, undefined],
  ])('a session that is closed has ended when its bus %s', async (_, ended, unconfirmed) => {
    const still = (): never => undefined as never;
    const session = new HostedSession('a', {}, { ready: still, tell: still, close: still });
    const released: (EndOfHosting | undefined)[] = [];
    const tie = { release: (end?: EndOfHosting) => released.push(end), ...(ended && { ended }) };
    const sessions = new OpenSessions();
    sessions.add({ session, tie });
    const [opened] = sessions.all as [OpenSession];
    const end = await sessions.end(opened, 'shutdown', true);
    expect([end.abandoned, end.unconfirmed, sessions.get('a')]).toEqual([[], unconfirmed, undefined]);
    expect(released).toMatchObject([{ willRetry: true }]);
    expect(await sessions.end(opened, 'shutdown', false)).toEqual(end);
    // Kept for as long as nobody can know.
    expect([released.length, sessions.all.length, sessions.unwritten.length]).toEqual([1, 0, unconfirmed ? 1 : 0]);
  });
});

describe('a session that is closed by itself', () => {
  it('a session ends this hosting of its id, and never one that was opened since', async () => {
    for (const open of places.values()) {
      const { clock, first } = await open();
      const { session, turn } = await beginAttempt(clock, first, 200);
      void first.close('job', { kind: 'superseded' }, { willRetry: true });
      const next = first.open('job');
      expect(next).not.toBe(session);
      const running = next.controller.runTurn(({ token }) => token.whenCancelled());
      expect(await during(clock, session.close())).toMatchObject({ reason: { kind: 'superseded' } });
      expect([(await turn).status, next.controller.state]).toEqual(['cancelled', 'running']);
      expect(await during(clock, next.close('user'))).toMatchObject({ reason: { kind: 'user' } });
      expect([(await running).status, await first.close('job')]).toEqual(['cancelled', undefined]);
    }
  });
});

const cases = ends.flatMap(([end, finish]) => ways.map(([way, stop]) => ({ end, finish, way, stop })));

describe('a session that a person has stopped', () => {
  it.each(cases)('a session stopped by $way and ended by $end is stopped at its retry', async ({ finish, stop }) => {
    for (const open of places.values()) {
      const { clock, first, others } = await open();
      const attempt = await beginAttempt(clock, first, 0);
      void stop(attempt);
      expect(await during(clock, attempt.turn)).toMatchObject({ status: 'cancelled', reason: { message: 'ada' } });
      await during(clock, finish(first));
      expect(await nextAttempt(clock, others.at(-1))).toMatchObject({
        status: 'cancelled',
        reason: { kind: 'user', message: 'ada' },
      });
    }
  });

  it.each(cases)(
    'a session stopped by $way in the clean-up of a $end is stopped at its retry, also in the same tick',
    async ({ finish, stop }) => {
      for (const ms of [0, 1])
        for (const open of places.values()) {
          const { clock, first, others } = await open();
          const attempt = await beginAttempt(clock, first, 200);
          const ending = finish(first);
          if (ms > 0) await clock.advance(100);
          void stop(attempt);
          await during(clock, Promise.all([ending, attempt.turn]));
          expect(await nextAttempt(clock, others.at(-1))).toMatchObject({
            status: 'cancelled',
            reason: { kind: 'user', message: 'ada' },
          });
        }
    },
  );

  const stillCleansUp = ways.flatMap(([way, stop]) =>
    [...places].flatMap(([where, open]) =>
      (['before the close', 'in the clean-up'] as const).map((when) => ({ way, stop, where, open, when })),
    ),
  );

  /** A stopped attempt is closed to be retried, and still cleans up when another may be opened. */
  const closeWhileStopped = async (
    attempted: Pick<(typeof stillCleansUp)[number], 'stop' | 'when'> &
      Pick<Place, 'clock' | 'first'> & { readonly other: SessionRegistry },
  ) => {
    const { clock, first, other, stop, when } = attempted;
    const attempt = await beginAttempt(clock, first, 800);
    if (when === 'before the close') void stop(attempt);
    const ending = first.close('job', undefined, { willRetry: true });
    if (when === 'in the clean-up') void stop(attempt);
    // As far as another process can know of it.
    for (let ms = 0; other !== first && ms < 100; ms++) {
      if ((await during(clock, other.look('job'))).stop !== undefined) break;
      await clock.advance(1);
    }
    return { attempt, ending };
  };

  it.each(stillCleansUp)(
    'D10 a session stopped by $way $when, and opened $where while that goes on, does not begin its first turn, and the next one runs',
    async ({ stop, open, when }) => {
      for (const where of [0, 1]) {
        const { clock, first, others } = await open();
        const other = others[where] as SessionRegistry;
        const { attempt, ending } = await closeWhileStopped({ clock, first, other, stop, when });
        const next = other.open('job');
        expect(await during(clock, next.ready())).toBe(true);
        const { runTurn } = next.controller;
        const retry = await during(clock, runTurn(() => 'charged again')); // prettier-ignore
        expect(retry).toMatchObject({ status: 'cancelled', reason: { message: 'ada' } });
        const later = runTurn(({ token }) => Promise.race([token.whenCancelled(), clock.advance(1_500)]));
        expect((await during(clock, later)).status).toBe('completed');
        await during(clock, Promise.all([ending, attempt.turn, other.close('job')]));
      }
    },
  );

  it.each(stillCleansUp)(
    'D10 a session stopped by $way $when, and opened $where again while that goes on, hears nothing of it',
    async ({ stop, open, when }) => {
      for (const where of [0, 1]) {
        const { clock, first, others } = await open();
        const other = others[where] as SessionRegistry;
        const { attempt, ending } = await closeWhileStopped({ clock, first, other, stop, when });
        const next = other.open('job', { again: true });
        expect(await during(clock, next.ready())).toBe(true);
        const { runTurn } = next.controller;
        const wanted = runTurn(({ token }) => Promise.race([token.whenCancelled(), clock.advance(1_500)]));
        expect((await during(clock, wanted)).status).toBe('completed');
        await during(clock, Promise.all([ending, attempt.turn, other.close('job')]));
      }
    },
  );

  it('D10 a session that a person stopped, and another one after it was given more, is stopped at its retry by the last', async () => {
    for (const open of places.values()) {
      const { clock, first, others } = await open();
      const asker = others[1] as SessionRegistry;
      const session = first.open('job');
      await during(clock, session.ready());
      for (const message of ['ada', 'bob']) {
        const turn = session.controller.runTurn(({ token }) => token.whenCancelled());
        await during(clock, Promise.all([asker.cancel('job', { kind: 'user', message }, { wait: 'settled' }), turn]));
      }
      await during(clock, first.close('job', undefined, { willRetry: true }));
      const between = await during(clock, asker.cancel('job', { kind: 'user', message: 'carl' }));
      expect(between).toMatchObject({ status: 'pending', reason: { message: 'bob' } });
      expect(await nextAttempt(clock, asker)).toMatchObject({ reason: { message: 'bob' } });
    }
  });

  it.each(ways.flatMap(([first, stop]) => ways.map(([then, again]) => ({ first, stop, then, again }))))(
    'D4 a session that ada stopped by $first, and bob by $then, is stopped at its retry in the name of ada',
    async ({ stop, again }) => {
      for (const open of places.values()) {
        const { clock, first, others } = await open();
        const attempt = await beginAttempt(clock, first, 100);
        void stop(attempt, ada);
        await clock.advance(70);
        void again(attempt, bob);
        expect(await during(clock, attempt.turn)).toMatchObject({ reason: { message: 'ada' } });
        await clock.advance(100);
        await during(clock, first.close('job', undefined, { willRetry: true }));
        expect(await nextAttempt(clock, others.at(-1))).toMatchObject({ reason: { message: 'ada' } });
      }
    },
  );

  it.each(ways)(
    'D10 a session stopped by %s holds that for as long after its close as any stop waits',
    async (_way, stop) => {
      for (const open of places.values()) {
        const { clock, first, others } = await open();
        const attempt = await beginAttempt(clock, first, 4_000_000);
        void stop(attempt, ada);
        await clock.advance(4_100_000);
        await during(clock, Promise.all([attempt.turn, first.close('job', undefined, { willRetry: true })]));
        expect(await nextAttempt(clock, others.at(-1))).toMatchObject({ reason: { message: 'ada' } });
      }
    },
  );

  it.each(stillCleansUp)(
    'a session stopped by $way $when, closed for good and opened $where while that goes on, hears nothing of it',
    async ({ stop, open, when }) => {
      for (const where of [0, 1]) {
        const { clock, first, others } = await open();
        const other = others[where] as SessionRegistry;
        const attempt = await beginAttempt(clock, first, 800);
        if (when === 'before the close') void stop(attempt);
        await clock.advance(10);
        const ending = first.close('job');
        if (when === 'in the clean-up') void stop(attempt);
        await clock.advance(100);
        expect((await nextAttempt(clock, other)).status).toBe('completed');
        await during(clock, Promise.all([ending, attempt.turn, other.close('job')]));
      }
    },
  );

  it.each(ways.filter(([way]) => !way.includes('token that it was opened')))(
    'D10 a session whose lease was lost, and that %s stops then, is stopped at its retry',
    async (_way, stop) => {
      const { clock, backend, b } = await twoProcesses();
      const state = { isAway: false };
      const bus = await openStopBus(
        {
          ...backend,
          connect: async (node, events) => {
            const real = await backend.connect(node, events);
            const pull = real.pull.bind(real);
            return Object.assign(real, {
              pull: (ms: number, mark: string) => (state.isAway ? Promise.reject(new Error('away')) : pull(ms, mark)),
            });
          },
        },
        { clock },
      );
      const first = new SessionRegistry({ bus, clock });
      const attempt = await beginAttempt(clock, first, 4_000);
      state.isAway = true;
      await clock.advance(16_000);
      void stop(attempt);
      state.isAway = false;
      await during(clock, Promise.all([first.close('job', undefined, { willRetry: true }), attempt.turn]));
      expect(await attempt.turn).toMatchObject({ reason: { kind: 'lease-lost' } });
      expect(await nextAttempt(clock, b.sessions)).toMatchObject({ reason: { message: 'ada' } });
    },
  );

  it.each([
    ['later than it is wanted', 60, 0, 0, 200, 30],
    ['while it is claimed', 0, 0, 0, 60, 1],
    ['as slowly as it is claimed', 60, 60, 60, 60, 30],
  ])(
    'D10 a session whose stop is written %s again is not stopped by it',
    async (_when, ...[to, from, there, back, ms]) => {
      for (const [, stop] of ways) {
        const { clock, backend } = await twoProcesses();
        const first = await slowProcess(clock, backend, to, from);
        const other = await slowProcess(clock, backend, there, back);
        const attempt = await beginAttempt(clock, first, 900);
        void stop(attempt);
        const ending = first.close('job', undefined, { willRetry: true });
        await clock.advance(ms);
        const next = other.open('job', { again: true });
        await during(clock, next.ready());
        const wanted = next.controller.runTurn(({ token }) => Promise.race([token.whenCancelled(), ending]));
        expect((await during(clock, wanted)).status).toBe('completed');
        await attempt.turn;
      }
    },
  );

  it.each([
    { when: 'before the end', ms: -300, status: 'cancelled' },
    { when: 'just before the end', ms: -100, status: 'cancelled' },
    { when: 'in the clean-up', ms: 100, status: 'cancelled' },
    { when: 'in the clean-up, and nothing above', ms: 100, policy: 'contain', status: 'completed' },
  ] as const)('a session whose sub-agent a person stops $when is $status at its retry', async (row) => {
    const { ms, status } = row;
    const onChildInterrupted = 'policy' in row ? row.policy : undefined;
    const { clock, a, b } = await twoProcesses();
    const bus = inProcessStopBus({ clock });
    const alone = [new SessionRegistry({ bus, clock }), new SessionRegistry({ bus, clock })] as const;
    for (const [first, second] of [[a.sessions, b.sessions] as const, alone]) {
      const session = first.open('job');
      await during(clock, session.ready());
      let stop = (): unknown => undefined;
      const slow = (): Promise<void> => new Promise((resolve) => clock.setTimer(resolve, 700, { ref: true }));
      const turn = session.controller.runTurn((of) =>
        of.tool({ id: 'p', name: 'plan' }, async (_signal, { subagent }) => {
          const planner = subagent('planner', { onChildInterrupted });
          stop = () => planner.cancel(ada);
          await planner.runTurn((below) => below.tool({ id: 'q', name: 'ask' }, slow));
        }),
      );
      await clock.advance(500);
      if (ms < 0) stop();
      await clock.advance(Math.max(0, -ms));
      const ending = first.close('job', undefined, { willRetry: true });
      await clock.advance(Math.max(0, ms));
      if (ms > 0) stop();
      await during(clock, Promise.all([ending, turn]));
      expect((await nextAttempt(clock, second)).status).toBe(status);
    }
  });

  it.each(['a tool', 'a sub-agent'])(
    'a session of which a person stops a call of %s runs at its retry',
    async (what) => {
      const { clock, a, b } = await twoProcesses();
      const session = a.sessions.open('job');
      await during(clock, session.ready());
      const slow = (): Promise<void> => new Promise((resolve) => clock.setTimer(resolve, 200, { ref: true }));
      const turn = session.controller.runTurn(async ({ tool }) => {
        await tool({ id: 'p', name: 'plan' }, async (_signal, { subagent }) => {
          await (what === 'a tool' ? slow() : subagent('planner').runTurn(slow));
        });
        await slow();
      });
      await clock.advance(100);
      session.controller.cancelCall('p', ada);
      await clock.advance(150);
      await during(clock, Promise.all([a.sessions.close('job', undefined, { willRetry: true }), turn]));
      expect((await nextAttempt(clock, b.sessions)).status).toBe('completed');
    },
  );

  it('a session that is closed by a person, to be retried, is not stopped at its retry', async () => {
    const { clock, a, b } = await twoProcesses();
    const session = a.sessions.open('job');
    await during(clock, session.ready());
    const turn = session.controller.runTurn(({ token }) => token.whenCancelled());
    await during(clock, Promise.all([a.sessions.close('job', ada, { willRetry: true }), turn]));
    expect((await nextAttempt(clock, b.sessions)).status).toBe('completed');
  });

  it.each([
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
    expect((await nextAttempt(clock, b.sessions)).status).toBe('completed');
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
      expect((await nextAttempt(clock, second)).status).toBe('completed');
    },
  );

  it.each([
    ['nobody has stopped', () => undefined],
    ['a shutdown has stopped', ({ pause }: Session) => pause('shutdown')],
    [
      'was given something new after a stop',
      ({ controller, pause }: Session) => pause(ada).then(() => controller.runTurn(() => 'new')),
    ],
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

describe('a session that cleans up', () => {
  const all = { wait: 'settled' } as const;
  const one = { ...all, turnId: 1 };
  const kill = { ...all, level: 'kill' } as const;
  const places = ['its own process', 'another one', 'the only process'] as const;
  const rows = places.flatMap((where) => ends.map(([end, finish]) => ({ where, end, finish })));

  it.each(rows)(
    'a session that cleans up for a $end is asked from $where, and says settled when it is over',
    async ({ where, finish }) => {
      const { clock, a, b } = await twoProcesses();
      const first = where === 'the only process' ? new SessionRegistry({ clock }) : a.sessions;
      const asker = where === 'another one' ? b.sessions : first;
      const session = first.open('job', { graceMs: 500, groups: ['tenant'] });
      await during(clock, session.ready());
      const turn = session.controller.runTurn(({ tool }) =>
        tool({ id: '1', name: 'deaf' }, () => new Promise(() => undefined)),
      );
      await clock.advance(0);
      let isOver = false;
      const ending = finish(first).then(() => (isOver = true));
      await clock.advance(10);
      expect(await during(clock, asker.look('job'))).toMatchObject({ state: 'open' });
      const group = asker.cancelGroup('tenant', ada, all);
      const asked = [asker.cancel('job', ada, all), asker.cancel('job', ada, one)];
      await clock.advance(300);
      expect(isOver).toBe(false);
      const late = { status: 'settled', report: { reason: { kind: 'shutdown' }, abandoned: ['deaf'] } };
      const killed = asker.cancel('job', ada, kill);
      for (const receipt of await during(clock, Promise.all([...asked, killed]), 100))
        expect(receipt).toMatchObject(late);
      expect(await during(clock, group, 0)).toMatchObject({ receipts: [late] });
      await during(clock, Promise.all([turn, ending]), 50);
    },
  );

  it('a session that is opened again while it cleans up hears nothing of stops for the one that came after it', async () => {
    const { clock, a } = await twoProcesses();
    for (const sessions of [a.sessions, new SessionRegistry({ clock })]) {
      const session = sessions.open('job');
      await during(clock, session.ready());
      const tool = (): Promise<void> => new Promise((resolve) => clock.setTimer(resolve, 200, { ref: true }));
      const turn = session.controller.runTurn((of) => of.tool({ id: '1', name: 'slow' }, tool));
      await clock.advance(0);
      const ending = sessions.close('job');
      const next = sessions.open('job');
      await during(clock, next.ready());
      const later = next.controller.runTurn(({ token }) => token.whenCancelled());
      void sessions.cancel('job', ada, { level: 'kill' });
      expect(await during(clock, later, 20)).toMatchObject({ status: 'cancelled', reason: { message: 'ada' } });
      expect(await during(clock, ending)).toMatchObject({ reason: { kind: 'shutdown' }, abandoned: [] });
      await turn;
      expect(await during(clock, sessions.look('job'))).toMatchObject({ state: 'open' });
    }
  });
});
