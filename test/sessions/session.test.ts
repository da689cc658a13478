import { describe, expect, it } from 'vitest';

import type { CancellationToken, InterruptController } from '../../src/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { openStopBus, type StopBackend } from '../../src/remote/index.ts';
import { obedient, tick } from '../core/interrupt/kit.ts';
import { during, twoProcesses, type Process } from '../remote/kit.ts';

function session() {
  const clock = new VirtualClock();
  const sessions = new SessionRegistry({ clock });
  return { sessions, session: sessions.open('a'), clock };
}

/** Background work of the session, and the token it was given. */
function job(controller: InterruptController) {
  let given: CancellationToken | undefined;
  const work = controller.background('job', (context) => {
    given = context.token;
    return obedient(context);
  });
  return { ...work, token: given as CancellationToken };
}

describe('background work of a session', () => {
  it('background work of a session has a token of its own: ending one is nothing to the other', async () => {
    const { session: a } = session();
    const [first, second] = [job(a.controller), job(a.controller)];
    expect([first.id === second.id, first.cancel('only this')]).toEqual([false, true]);
    expect([first.token.isCancelled, second.token.isCancelled]).toEqual([true, false]);
    expect((await first.outcome).status).toBe('cancelled');
    second.cancel();
  });

  it('background work of a session is stopped with the session, all with one reason, and the next one is not', async () => {
    const { session: a, sessions } = session();
    const turn = a.controller.runTurn(obedient);
    const running = [job(a.controller), job(a.controller)];
    void sessions.cancel('a', 'enough');
    const next = job(a.controller);
    expect(running.map(({ token }) => token.reason?.message)).toEqual(['enough', 'enough']);
    expect(next.token.isCancelled).toBe(false);
    const report = await turn;
    expect(report.status === 'cancelled' && report.reason).toBe(running[0]?.token.reason);
    await tick();
    expect(next.token.isCancelled).toBe(false);
    next.cancel();
  });

  it('background work of a session that is over is not stopped any more', async () => {
    const { session: a, sessions } = session();
    let kept: CancellationToken | undefined;
    await a.controller.background('job', ({ token }) => void (kept = token)).outcome;
    expect(await sessions.cancelAll()).toMatchObject([{ reason: undefined, operations: [] }]);
    expect(kept?.isCancelled).toBe(false);
  });
});

describe('a stop of the session', () => {
  it.each(['cancel', 'cancelAll', 'pause'] as const)(
    'a stop of the session reaches detached work too: %s',
    async (how) => {
      const { session: a, sessions } = session();
      const background = a.controller.child('bg', { detached: true }).runTurn(obedient);
      const idle = await a.controller.runTurn(() => 'done');
      await (how === 'pause' ? a.pause('enough') : how === 'cancel' ? sessions.cancel('a', 'enough') : sessions.cancelAll('enough')); // prettier-ignore
      expect(await background).toMatchObject({ status: 'cancelled', reason: { message: 'enough' } });
      expect(idle.status).toBe('completed');
      expect((await a.controller.child('bg', { detached: true }).runTurn(() => 'on')).unwrap()).toBe('on');
    },
  );

  it('a stop of the session of one turn leaves it alone', async () => {
    const { session: a, sessions } = session();
    const background = a.controller.child('bg', { detached: true });
    void background.runTurn(obedient);
    const turn = a.controller.runTurn(obedient);
    await sessions.cancel('a', 'this one', { turnId: 1 });
    expect([(await turn).status, background.state]).toEqual(['cancelled', 'running']);
    await sessions.close('a');
  });

  it('a stop of the session while nothing runs stops nothing, and says so', async () => {
    const { session: a } = session();
    expect(await a.pause()).toMatchObject({ reason: undefined, operations: [] });
    const turn = a.controller.runTurn(obedient);
    const report = await a.pause();
    expect([report, await a.pause()]).toEqual([(await turn).stop, report]);
  });
});

describe('ready', () => {
  it('ready is at once where no other process has a say', async () => {
    const sessions = new SessionRegistry();
    await sessions.cancel('a', 'early');
    expect(await sessions.open('a').ready()).toBe(true);
  });
});

describe('pause', () => {
  it('pause stops what runs and keeps the session', async () => {
    const { session: a } = session();
    const turn = a.controller.runTurn(obedient);
    const report = await a.pause({ message: 'later' });
    expect(report.reason).toMatchObject({ kind: 'user', message: 'later' });
    expect((await turn).status).toBe('cancelled');
    expect((await a.controller.runTurn(() => 'on')).unwrap()).toBe('on');
    expect(await a.controller.background('job', ({ token }) => token.isCancelled).outcome).toMatchObject({
      value: false,
    });
  });
});

describe('a session that gets ready', () => {
  const ada = { kind: 'user', by: 'ada' } as const;
  const asks: [string, (process: Process) => Promise<unknown>][] = [
    ['of it', ({ sessions }) => sessions.cancel('job', ada, { wait: 'settled' })],
    ['of its group', ({ sessions }) => sessions.cancelGroup('g', ada, { wait: 'settled' }).then((g) => g.receipts[0])],
  ];
  describe.each(asks)('a session that gets ready, and a stop %s', (_how, ask) => {
    it.each(['first', 'second'])(
      'D3 a stop from its own process is for what starts first in its %s attempt',
      async (n) => {
        const { clock, a } = await twoProcesses();
        const open = () => a.sessions.open('job', { groups: ['g'] });
        if (n === 'second') {
          await during(clock, open().ready());
          await during(clock, a.sessions.close('job', undefined, { willRetry: true }));
        }
        const session = open();
        const asked = ask(a);
        await during(clock, session.ready());
        const report = await session.controller.runTurn(() => 'never');
        expect(report).toMatchObject({ status: 'cancelled', reason: ada });
        expect(await during(clock, asked)).toMatchObject({ status: 'settled', report: { reason: ada } });
        expect((await session.controller.runTurn(() => 'fine')).unwrap()).toBe('fine');
      },
    );
  });

  it('S32 a stop that is written before the answer to its claim is there does not wait for the next heartbeat', async () => {
    const { clock, backend, b } = await twoProcesses();
    const connect: StopBackend['connect'] = async (node, events) => {
      const real = await backend.connect(node, events);
      const swap = real.swap.bind(real);
      real.swap = async (change) => {
        const swapped = await swap(change);
        await new Promise<void>((resolve) => void clock.setTimer(resolve, 20, { ref: false }));
        return swapped;
      };
      return real;
    };
    const bus = await openStopBus({ ...backend, connect }, { clock });
    const session = new SessionRegistry({ bus, clock }).open('job');
    await clock.advance(10);
    const asked = b.sessions.cancel('job', ada, { wait: 'settled' });
    await during(clock, session.ready());
    expect(await during(clock, session.controller.runTurn(obedient), 100)).toMatchObject({
      status: 'cancelled',
      reason: ada,
    });
    expect(await during(clock, asked)).toMatchObject({ status: 'settled' });
  });

  const ends: [string, string, (a: Process, b: Process) => Promise<unknown>][] = [
    ['a drain', 'shutdown', ({ sessions }) => sessions.drain({ timeoutMs: 0, willRetry: true })],
    ['a close', 'shutdown', ({ sessions }) => sessions.close('job', undefined, { willRetry: true })],
    ['another process that opens it', 'superseded', (_a, { sessions }) => sessions.open('job').ready()],
  ];
  it.each(ends)('of what begins after %s nothing runs, and its report says why', async (_what, kind, end) => {
    const { clock, a, b } = await twoProcesses();
    const session = a.sessions.open('job');
    const ended = end(a, b);
    await during(clock, session.ready());
    await during(clock, ended);
    await clock.advance(20_000);
    const report = await session.controller.runTurn(() => 'never');
    expect(report).toMatchObject({ status: 'cancelled', reason: { kind } });
  });

  it.each(['gets ready', 'is ready'])(
    'a drain with willRetry leaves its stops to the next attempt while it %s',
    async (when) => {
      const { clock, a, b } = await twoProcesses();
      if (when === 'gets ready') await during(clock, b.sessions.cancel('job', ada));
      const session = a.sessions.open('job');
      if (when === 'is ready') await during(clock, session.ready());
      const { finished } = await during(clock, a.sessions.drain({ timeoutMs: 0, willRetry: true }));
      expect(finished).toEqual(['job']);
      const { status } = await during(clock, b.sessions.cancel('job', ada));
      const next = b.sessions.open('job');
      await during(clock, next.ready());
      expect([status, await next.controller.runTurn(() => 'never')]).toMatchObject(['pending', { reason: ada }]);
    },
  );
});
