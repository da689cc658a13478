import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/core/foundation/reason.ts';
import { CancellationTokenSource } from '../../src/index.ts';
import { memoryBackend, openStopBus, type StopBackend, type StopConnection } from '../../src/remote/index.ts';
import { call, deaf, obedient, tick } from '../core/interrupt/kit.ts';
import { SessionRegistry, type RemoteReceipt } from '../../src/sessions/index.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { during, twoProcesses, type Process } from './kit.ts';

describe('a stop from another process', () => {
  it('S32 a stop from another process reaches the run, and its report comes back', async () => {
    const { clock, a, b } = await twoProcesses();
    const { controller } = a.sessions.open('chat', { graceMs: 100 });
    const turn = controller.runTurn(({ tool }) => tool(call('deaf'), deaf));
    await clock.advance(10);
    const receipt = await during(clock, b.sessions.cancel('chat', { kind: 'user', by: 'ada' }, { wait: 'settled' }));
    expect(receipt).toMatchObject({ status: 'settled', timedOut: false, reason: { by: 'ada' } });
    expect(receipt.report).toMatchObject({ abandoned: ['deaf'] });
    expect((await turn).status).toBe('cancelled');
  });

  it('S32 a stop from another process that comes before the run is born into it', async () => {
    const { clock, a, b } = await twoProcesses();
    expect((await during(clock, b.sessions.cancel('chat', 'early'))).status).toBe('pending');
    const { controller } = a.sessions.open('chat');
    await clock.advance(10);
    expect(await controller.runTurn(() => 'never')).toMatchObject({
      status: 'cancelled',
      reason: { message: 'early' },
    });
    expect((await controller.runTurn(() => 'fine')).unwrap()).toBe('fine');
  });

  it('S32 a stop from another process that comes before the run lets nothing begin once the session is ready', async () => {
    const { clock, a, b } = await twoProcesses();
    await during(clock, b.sessions.cancel('chat', 'early'));
    const session = a.sessions.open('chat');
    const report = await during(
      clock,
      session.ready().then(async (isReady) => ({ isReady, ...(await session.controller.runTurn(() => 'never')) })),
    );
    expect(report).toMatchObject({ isReady: true, status: 'cancelled', reason: { message: 'early' } });
    expect(report).not.toHaveProperty('completed');
  });

  it('S32 a stop from another process that comes before the run, behind another one, names whoever stopped the run', async () => {
    const { clock, open, a, b } = await twoProcesses();
    const c = await open();
    const by = ({ reason, status }: RemoteReceipt): string => `${status} by ${String(reason.by)}`;
    const ask = (from: Process, by: string, wait?: 'settled') =>
      from.sessions.cancel('chat', { kind: 'user', by }, { wait });
    expect(by(await during(clock, ask(b, 'ada')))).toBe('pending by ada');
    expect(by(await during(clock, ask(c, 'bob')))).toBe('pending by ada');
    const ends = Promise.all([ask(b, 'cleo', 'settled'), ask(c, 'dan', 'settled')]);
    await clock.advance(10);
    await during(clock, a.sessions.open('chat').ready());
    await a.sessions.close('chat');
    expect((await during(clock, ends)).map(by)).toEqual(['settled by ada', 'settled by ada']);
  });

  it('a session is not ready while the engine is away, nor once it was closed before', async () => {
    const clock = new VirtualClock();
    const memory = memoryBackend({ clock });
    let isAway = true;
    const backend: StopBackend = {
      ...memory,
      connect: async (node, events) => {
        const connection = await memory.connect(node, events);
        const pull = connection.pull.bind(connection);
        connection.pull = (...args) => (isAway ? Promise.reject(new Error('away')) : pull(...args));
        return connection;
      },
    };
    const bus = await openStopBus(backend, { clock, confirmMs: 400 });
    const sessions = new SessionRegistry({ bus, clock });
    const session = sessions.open('chat');
    const asked = session.ready();
    await clock.advance(399);
    expect(await Promise.race([asked, Promise.resolve('waits')])).toBe('waits');
    await clock.advance(1);
    expect(await asked).toBe(false);
    isAway = false;
    await clock.advance(15_000);
    expect(await session.ready()).toBe(true);
    isAway = true;
    const closed = sessions.open('other');
    await sessions.close('other');
    expect(await during(clock, closed.ready())).toBe(false);
    isAway = false;
    await during(clock, bus.close());
    expect(clock.pending).toBe(0);
  });

  it('S32 a stop from another process after the close is late, and a second one is accepted quietly', async () => {
    const { clock, a, b } = await twoProcesses();
    const turn = a.sessions.open('chat').controller.runTurn(obedient);
    await clock.advance(10);
    const both = [b.sessions.cancel('chat', 'one', { wait: 'settled' }), b.sessions.cancel('chat', 'two', { wait: 'settled' })]; // prettier-ignore
    expect((await during(clock, Promise.all(both))).map(({ status }) => status)).toEqual(['settled', 'settled']);
    expect((await turn).status).toBe('cancelled');
    await during(clock, Promise.resolve(a.sessions.close('chat')));
    await clock.advance(10);
    expect((await during(clock, b.sessions.cancel('chat'))).status).toBe('settled');
    expect((await a.sessions.open('chat').controller.runTurn(() => 'fine')).unwrap()).toBe('fine');
  });

  it('D7 a stop from another process with the epoch of a receipt touches no later hosting', async () => {
    const { clock, a, b } = await twoProcesses();
    a.sessions.open('chat');
    await clock.advance(10);
    const { epoch } = await during(clock, b.sessions.cancel('chat'));
    const turn = b.sessions.open('chat').controller.runTurn(obedient);
    await clock.advance(10);
    expect((await during(clock, a.sessions.cancel('chat', 'stale', { epoch }))).status).toBe('superseded');
    await during(clock, b.sessions.cancel('chat', 'now'));
    expect(await turn).toMatchObject({ reason: { message: 'now' } });
  });

  it('D7 a stop from another process that goes on to a later hosting says so, and nothing of the one that cleans up', async () => {
    const { clock, a, b } = await twoProcesses();
    let isOver = false;
    const turn = a.sessions.open('chat').controller.runTurn(async ({ token }) => {
      await token.whenCancelled();
      await new Promise<void>((resolve) => clock.setTimer(resolve, 5_000, { ref: true }));
      isOver = true;
    });
    await clock.advance(10);
    const { epoch } = await b.sessions.look('chat');
    const asked = b.sessions.cancel('chat', 'enough', { wait: 'settled' });
    await clock.advance(50);
    const next = b.sessions.open('chat');
    await during(clock, next.ready());
    expect((await next.controller.runTurn(() => 'never')).status).toBe('cancelled');
    const receipt = await during(clock, asked, 1_000);
    const { epoch: later } = await b.sessions.look('chat');
    expect([receipt.status, receipt.epoch === later, later === epoch, isOver]).toEqual(['settled', true, false, false]);
    await during(clock, turn);
  });

  it('D10 a stop from another process holds for the next attempt when this one is given up for a retry', async () => {
    const { clock, a, b } = await twoProcesses();
    const first = a.sessions.open('job').controller.runTurn(obedient);
    await clock.advance(10);
    await during(clock, b.sessions.cancel('job', 'enough', { wait: 'settled' }));
    expect((await first).status).toBe('cancelled');
    await during(clock, Promise.resolve(a.sessions.close('job', undefined, { willRetry: true })));
    await clock.advance(10);
    const { controller } = b.sessions.open('job');
    await clock.advance(10);
    expect((await controller.runTurn(() => 'never')).status).toBe('cancelled');
  });

  it('D10 a stop from another process holds for the next attempt of what a drain had to stop', async () => {
    const { clock, a, b, open } = await twoProcesses();
    const long = a.sessions.open('long').controller.runTurn(obedient);
    await a.sessions.open('quick').controller.runTurn(() => 'done');
    await during(clock, a.sessions.drain({ timeoutMs: 10, willRetry: true }));
    expect((await long).status).toBe('cancelled');
    await clock.advance(10);
    const statuses = ['long', 'quick'].map((id) => b.sessions.cancel(id, 'enough').then(({ status }) => status));
    expect(await during(clock, Promise.all(statuses))).toEqual(['pending', 'settled']);
    const { sessions } = await open();
    const next = sessions.open('long');
    await during(clock, next.ready());
    expect(await next.controller.runTurn(() => 'never')).toMatchObject({ reason: { message: 'enough' } });
  });

  it('a stop from another process can kill, and not one turn alone', async () => {
    const { clock, a, b } = await twoProcesses();
    const turn = a.sessions
      .open('chat', { graceMs: 50_000 })
      .controller.runTurn(({ tool }) => tool(call('deaf'), deaf));
    await clock.advance(10);
    const receipt = await during(clock, b.sessions.cancel('chat', 'now', { level: 'kill', wait: 'settled' }), 1_000);
    expect([receipt.status, (await turn).status]).toEqual(['settled', 'cancelled']);
    await expect(b.sessions.cancel('chat', 'x', { level: 'kill', turnId: 1 })).rejects.toThrow('leave turnId out');
  });
});

/** An engine that is not there. */
const away: StopBackend = {
  ...{ name: 'engine', caps: { durability: 'disk', push: true, minLeaseMs: 5_000 } },
  connect: () => {
    const gone = (): Promise<never> => Promise.reject(new Error('ECONNREFUSED'));
    return Promise.resolve({
      ...{ read: gone, swap: gone, pull: gone, renew: gone, list: gone, alive: gone, listen: gone },
      ...{ reset: () => undefined, close: () => Promise.resolve() },
    });
  },
};

describe('opening a bus', () => {
  it.each([
    [undefined, {}, 'backend must be a StopBackend'],
    [away, { leaseMs: 4_999 }, 'leaseMs must be at least 5000 for engine'],
    [away, { pendingMs: -1 }, 'pendingMs must be'],
    [away, { onUnavailable: 'wait' }, 'onUnavailable must be one of'],
    [away, { leaseMs: 86_400_000 }, 'leaseMs must be at most 28800000, got 86400000'],
  ])('opening a bus over %o with %o is refused', async (backend, options, message) => {
    await expect(openStopBus(backend as never, options as never)).rejects.toThrow(message);
  });

  it('opening a bus over an engine that is away is refused if somebody wants that', async () => {
    await expect(openStopBus(away, { onUnavailable: 'throw' })).rejects.toThrow('engine cannot be reached');
  });

  it('a bus says what its client said of the connection, and not what an operation says without one', async () => {
    const { clock } = await twoProcesses();
    const why = new Error('WRONGPASS');
    const backend: StopBackend = {
      ...away,
      connect: (node, events, limits) => (events.down(why), away.connect(node, events, limits)),
    };
    await expect(openStopBus(backend, { onUnavailable: 'throw' })).rejects.toMatchObject({ cause: why });
    const heard: unknown[] = [];
    const bus = await openStopBus(backend, { clock });
    bus.onEvent((event) => heard.push(event));
    expect(heard).toMatchObject([{ type: 'degraded', error: why }]);
    await during(clock, bus.close({ timeoutMs: 0 }));
  });

  it('D5 opening a bus over an engine that is away lets work run here, and confirms no stop', async () => {
    const { clock } = await twoProcesses();
    const bus = await openStopBus(away, { clock });
    const turn = bus.host('chat', { deliver: () => Promise.reject(new Error('unused')) });
    turn.release();
    const asked = bus.request({ sessionId: 'other', reason: createReason('user') });
    const said = asked.then(({ status }) => status, (error: unknown) => String(error)); // prettier-ignore
    expect(await during(clock, said)).toBe('Error: engine did not confirm the stop of "other"');
    await tick();
  });

  it.each(['run-local', 'throw'] as const)(
    'opening a bus over an engine that says nothing takes one deadline, whatever connecting took of it (%s)',
    async (onUnavailable) => {
      const { clock, backend } = await twoProcesses();
      const connect: StopBackend['connect'] = async (node, events, limits) => {
        const real = await backend.connect(node, events, limits);
        await new Promise<void>((resolve) => clock.setTimer(resolve, (limits?.deadlineMs ?? 0) / 2, { ref: true }));
        real.alive = () => new Promise(() => undefined);
        return real;
      };
      const from = clock.now();
      const opening = during(clock, openStopBus({ ...backend, connect }, { clock, leaseMs: 6_000, onUnavailable }));
      if (onUnavailable === 'throw') await expect(opening).rejects.toThrow('cannot be reached');
      else {
        const told: string[] = [];
        const bus = await opening;
        bus.onEvent(({ type }) => told.push(type));
        expect(told).toEqual(['degraded']);
        await during(clock, bus.close({ timeoutMs: 0 }));
      }
      expect(clock.now() - from).toBeLessThanOrEqual(2_005);
    },
  );

  it('opening a bus whose backend never connects is given up after a lease, and what it makes then is closed', async () => {
    const { clock, backend } = await twoProcesses();
    const real = await backend.connect('late', {
      wake: () => undefined,
      resync: () => undefined,
      down: () => undefined,
    });
    const closed: boolean[] = [];
    let connected = (_connection: StopConnection): void => undefined;
    const connect = () => new Promise<StopConnection>((resolve) => (connected = resolve));
    const opening = during(clock, openStopBus({ ...backend, connect }, { clock, leaseMs: 6_000 }));
    await expect(opening).rejects.toThrow('memory has not connected within 6000 ms');
    real.close = (release) => Promise.resolve(void closed.push(release));
    connected(real);
    await clock.advance(0);
    expect(closed).toEqual([false]);
  });

  it('opening a bus on the memory of one process needs nothing else', async () => {
    await using bus = await openStopBus(memoryBackend());
    expect(bus.onEvent(() => undefined)).toHaveProperty('release');
  });

  /** A process on the same engine that dies with everything that it had under way. */
  async function mortal(clock: VirtualClock, backend: StopBackend) {
    let isDead = false;
    const never = new Promise<never>(() => undefined);
    const connect: StopBackend['connect'] = async (node, events) => {
      const real = await backend.connect(node, {
        ...events,
        wake: (runId, value) => {
          if (!isDead) events.wake(runId, value);
        },
      });
      const alive = <T>(call: () => Promise<T>): Promise<T> => (isDead ? never : call());
      return {
        read: (id) => alive(() => real.read(id)),
        swap: (change) => alive(() => real.swap(change)),
        pull: (ms, proposal) => alive(() => real.pull(ms, proposal)),
        renew: (ids, ms) => alive(() => real.renew(ids, ms)),
        list: (group) => alive(() => real.list(group)),
        alive: (nodes) => alive(() => real.alive(nodes)),
        ...{ listen: () => real.listen(), reset: () => undefined, close: (release) => real.close(release) },
      };
    };
    const bus = await openStopBus({ ...backend, connect }, { clock });
    return { sessions: new SessionRegistry({ bus, clock }), die: () => (isDead = true) };
  }

  it('D10 a stop from another process that was observed holds for the next attempt when the host dies over it', async () => {
    const { clock, backend, a, b } = await twoProcesses();
    const victim = await mortal(clock, backend);
    void victim.sessions.open('job').controller.runTurn(() => new Promise<never>(() => undefined));
    await clock.advance(10);
    const asked = b.sessions.cancel('job', 'no more of this', { wait: 'settled', timeoutMs: 600_000 });
    await clock.advance(50);
    expect((await b.sessions.look('job')).stop?.status).toBe('observed');
    victim.die();
    await clock.advance(5_000);
    const next = a.sessions.open('job');
    const report = await during(
      clock,
      next.ready().then(() => next.controller.runTurn(() => 'ran to its end')),
    );
    expect(report).toMatchObject({ status: 'cancelled', reason: { message: 'no more of this' } });
    const settled = { status: 'settled', report: { reason: { message: 'no more of this' } } };
    expect(await during(clock, asked)).toMatchObject(settled);
    expect((await b.sessions.look('job')).stop?.status).toBe('settled');
    // It stopped that attempt, and nothing after it.
    expect((await next.controller.runTurn(() => 'fine')).unwrap()).toBe('fine');
  });

  it.each([
    ['of the turn that runs, from another process', 'b', { turnId: 1 }, 'cancelled', 'settled'],
    ['of the turn that runs, from its own process', 'victim', { turnId: 1 }, 'cancelled', undefined],
    ['of a turn to come', 'b', { turnId: 5 }, 'completed', 'superseded'],
    ['of its hosting, from another process', 'b', { epoch: 1_000_000 }, 'cancelled', 'settled'],
    ['of its hosting, from its own process', 'victim', { epoch: 1_000_000 }, 'cancelled', undefined],
  ] as const)(
    'D10 a stop %s, which was observed, is one of the next attempt when the host dies',
    async (_what, from, aim, status, receipt) => {
      const { clock, backend, a, b } = await twoProcesses();
      const victim = await mortal(clock, backend);
      const { controller } = victim.sessions.open('job');
      void controller.runTurn(() => new Promise<never>(() => undefined));
      await clock.advance(10);
      const asker = { b, victim }[from].sessions;
      const options = { ...aim, wait: 'settled', timeoutMs: 600_000 } as const;
      const asked = asker.cancel('job', { kind: 'user', message: 'no more' }, options);
      await clock.advance(50);
      expect((await b.sessions.look('job')).stop?.status).toBe('observed');
      victim.die();
      await clock.advance(5_000);
      const next = a.sessions.open('job');
      await during(clock, next.ready());
      expect(
        (
          await during(
            clock,
            next.controller.runTurn(() => 'ran'),
          )
        ).status,
      ).toBe(status);
      if (receipt !== undefined) expect((await during(clock, asked)).status).toBe(receipt);
      await clock.advance(30_000);
    },
  );

  it('D10 a stop from another process is not for work that somebody wants again, and one that comes then is', async () => {
    const { clock, backend, a, b } = await twoProcesses();
    const victim = await mortal(clock, backend);
    void victim.sessions.open('job').controller.runTurn(() => new Promise<never>(() => undefined));
    await clock.advance(10);
    void b.sessions.cancel('job', 'no more of this');
    void b.sessions.cancel('early', 'no more of this');
    await clock.advance(50);
    victim.die();
    await clock.advance(30_000);
    for (const id of ['job', 'early']) {
      const next = a.sessions.open(id, { again: true });
      const report = await during(
        clock,
        next.ready().then(() => next.controller.runTurn(() => 'ran to its end')),
      );
      expect(report.unwrap()).toBe('ran to its end');
      const turn = next.controller.runTurn(obedient);
      await during(clock, b.sessions.cancel(id, 'enough', { wait: 'settled' }));
      expect(await turn).toMatchObject({ status: 'cancelled', reason: { message: 'enough' } });
    }
    expect(() => a.sessions.open('x', { again: 'yes' as never })).toThrow('again');
  });

  it('D10 a stop from another process is not for work that is wanted again in the millisecond after its receipt', async () => {
    const { clock, a, b } = await twoProcesses();
    expect((await b.sessions.cancel('job', 'no more of this')).status).toBe('pending');
    const next = a.sessions.open('job', { again: true });
    await during(clock, next.ready());
    expect((await next.controller.runTurn(() => 'ran')).unwrap()).toBe('ran');
  });

  it('D10 a stop from another process that ended a turn while its host drained holds for the next attempt', async () => {
    const { clock, a, b } = await twoProcesses();
    const { controller } = a.sessions.open('job');
    const finished = a.sessions.open('other');
    const turn = controller.runTurn(async ({ token }) => {
      await token.whenCancelled();
      await new Promise<void>((resolve) => clock.setTimer(resolve, 300, { ref: true }));
    });
    await clock.advance(10);
    const asked = b.sessions.cancel('job', 'no more of this', { wait: 'settled' });
    await clock.advance(50);
    expect((await finished.controller.runTurn(() => 'done')).status).toBe('completed');
    const drained = await during(clock, a.sessions.drain({ timeoutMs: 60_000, willRetry: true }));
    expect(drained).toEqual({ finished: ['job', 'other'], stopped: [] });
    expect([(await during(clock, asked)).status, (await turn).status]).toEqual(['settled', 'cancelled']);
    const report = await during(clock, b.sessions.open('job').ready().then(() => b.sessions.open('job').controller.runTurn(() => 'ran'))); // prettier-ignore
    expect(report).toMatchObject({ status: 'cancelled', reason: { message: 'no more of this' } });
    // What was neither stopped nor cut off has ended.
    expect((await b.sessions.look('other')).state).toBe('closed');
  });

  it('a drain is over when what it ended is written, or after confirmMs, whatever the lease, and names what could not be', async () => {
    const clock = new VirtualClock({ startAt: 1_000_000 });
    const memory = memoryBackend({ clock });
    let answers = true;
    const connect: StopBackend['connect'] = async (node, events) => {
      const real = await memory.connect(node, events);
      const swap = real.swap.bind(real);
      real.swap = async (change) => {
        await new Promise<void>((resolve) => clock.setTimer(resolve, 700, { ref: true }));
        return answers ? swap(change) : new Promise(() => undefined);
      };
      return real;
    };
    const slow = await openStopBus({ ...memory, connect }, { clock, leaseMs: 60_000, confirmMs: 1_000 });
    const other = new SessionRegistry({ bus: await openStopBus(memory, { clock }), clock });
    const first = new SessionRegistry({ bus: slow, clock });
    first.open('chat');
    await clock.advance(1_000);
    expect((await other.look('chat')).state).toBe('open');
    expect(await during(clock, first.drain({ timeoutMs: 0 }))).toEqual({ finished: ['chat'], stopped: [] });
    expect((await other.look('chat')).state).toBe('closed');
    const second = new SessionRegistry({ bus: slow, clock });
    second.open('next');
    await clock.advance(1_000);
    answers = false;
    const from = clock.now();
    const drained = await during(clock, second.drain({ timeoutMs: 0 }));
    expect(drained).toEqual({ finished: ['next'], stopped: [], unconfirmed: ['next'] });
    expect(clock.now() - from).toBeLessThanOrEqual(1_005);
    answers = true;
    await during(clock, slow.close());
  });
});

describe('the options of a bus', () => {
  it.each([
    ['leaseMS', { leaseMS: 60_000 }],
    ['onUnavailible', { onUnavailible: 'throw' }],
  ])('the options of a bus have no %s', async (name, options) => {
    await expect(openStopBus(memoryBackend(), options as never)).rejects.toThrow(`options.${name} is no option`);
  });

  it('the options of a bus are no token, and those of its engine and of its end are checked as well', async () => {
    const { token } = new CancellationTokenSource();
    await expect(openStopBus(memoryBackend(), token as never)).rejects.toThrow('an object of options');
    expect(() => memoryBackend({ minLease: 1 } as never)).toThrow('options.minLease is no option');
    const bus = await openStopBus(memoryBackend());
    await expect(bus.close({ timeout: 1 } as never)).rejects.toThrow('options.timeout is no option');
    await bus.close();
  });
});
