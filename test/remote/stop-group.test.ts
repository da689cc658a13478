import { describe, expect, it } from 'vitest';

import type { StopSwap } from '../../src/remote/backend.ts';
import { memoryBackend, openStopBus, type StopBackend, type StopConnection } from '../../src/remote/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { obedient } from '../core/interrupt/kit.ts';
import { during, forgetfulEngine, twoProcesses, type Process } from './kit.ts';

const groups = ['tenant:acme'];
const settled = { wait: 'settled' } as const;

function run({ sessions }: Process, id: string, options: { readonly groups?: readonly string[] } = { groups }) {
  return sessions.open(id, options).controller.runTurn(obedient);
}

const statusesOf = ({ receipts }: Awaited<ReturnType<SessionRegistry['cancelGroup']>>): unknown =>
  receipts.map(({ sessionId, status }) => `${sessionId} ${status}`).sort();

describe('a stop of a group', () => {
  it('a stop of a group reaches its sessions in every process, with a receipt for each, and nobody else', async () => {
    const { clock, open, a, b } = await twoProcesses();
    const asking = await open();
    const turns = [
      run(a, 'a1'),
      run(a, 'a2'),
      run(b, 'b1'),
      run(b, 'b2', { groups: ['tenant:other'] }),
      run(b, 'b3', {}),
    ];
    await clock.advance(50);
    const stop = await during(clock, asking.sessions.cancelGroup('tenant:acme', { kind: 'user', by: 'ops' }, settled));
    expect([stop.isComplete, statusesOf(stop)]).toEqual([true, ['a1 settled', 'a2 settled', 'b1 settled']]);
    expect(stop.receipts.map(({ reason, report }) => [reason.by, report?.turnId])).toEqual(Array(3).fill(['ops', 1]));
    const ended = await Promise.all(turns.slice(0, 3));
    expect(ended.map(({ status }) => status)).toEqual(Array(3).fill('cancelled'));
    expect(['b2', 'b3'].map((id) => b.sessions.open(id).controller.state)).toEqual(['running', 'running']);
    await during(clock, b.sessions.drain({ timeoutMs: 0 }));
    for (const { bus } of [asking, a, b]) await during(clock, bus.close());
    expect(clock.pending).toBe(0);
  });

  it('a stop of a group is not for what is opened once it is answered, nor for what has ended before', async () => {
    const { clock, a, b } = await twoProcesses();
    const first = run(a, 'a1');
    await clock.advance(50);
    await during(clock, a.sessions.close('a1'));
    await first;
    const stop = await during(clock, b.sessions.cancelGroup('tenant:acme'));
    expect([stop.isComplete, stop.receipts]).toEqual([true, []]);
    void run(a, 'a1');
    void run(b, 'b1');
    await clock.advance(20_000);
    expect([a.sessions.open('a1').controller.state, b.sessions.open('b1').controller.state]).toEqual([
      'running',
      'running',
    ]);
    for (const { bus, sessions } of [a, b]) {
      await during(clock, sessions.drain({ timeoutMs: 0 }));
      await during(clock, bus.close());
    }
  });

  it('a stop of a group tells at once what this process has, also before the engine knows of it', async () => {
    const { clock, a, b } = await twoProcesses();
    const turn = run(a, 'a1');
    const stop = a.sessions.cancelGroup('tenant:acme', 'enough', settled);
    await Promise.resolve();
    expect(a.sessions.open('a1').controller.state).not.toBe('running');
    expect(statusesOf(await during(clock, stop))).toEqual(['a1 settled']);
    expect((await turn).status).toBe('cancelled');
    for (const { bus } of [a, b]) await during(clock, bus.close());
  });

  it('D10 a stop of a group holds for what waits to be tried again', async () => {
    const { clock, open, a, b } = await twoProcesses();
    const next = await open();
    const attempt = a.sessions.open('retried', { groups });
    await during(clock, attempt.ready());
    await during(clock, a.sessions.close('retried', undefined, { willRetry: true }));
    const stop = await during(clock, b.sessions.cancelGroup('tenant:acme'));
    expect(statusesOf(stop)).toEqual(['retried pending']);
    const again = next.sessions.open('retried', { groups });
    expect(await during(clock, again.ready())).toBe(true);
    expect((await during(clock, again.controller.runTurn(obedient))).status).toBe('cancelled');
    for (const { bus } of [a, b, next]) await during(clock, bus.close());
  });

  it.each([
    [
      'D7 a stop of a group touches no hosting that is later than the one which the engine has listed',
      false,
      [['chat superseded'], 'running'],
    ],
    [
      'D10 a stop of a group reaches a retry that opens while the list is on its way',
      true,
      [['chat requested'], 'idle'],
    ],
  ] as const)('%s', async (_title, willRetry, expected) => {
    const clock = new VirtualClock({ startAt: 1_000_000 });
    const real = memoryBackend({ clock });
    let listed = (): Promise<void> => Promise.resolve();
    const backend: StopBackend = {
      ...real,
      connect: async (...args) => {
        const connection = await real.connect(...args);
        const list: StopConnection['list'] = async (group) => {
          const found = await connection.list(group);
          await listed();
          return found;
        };
        return new Proxy(connection, {
          get: (target, name) => {
            if (name === 'list') return list;
            const value: unknown = Reflect.get(target, name);
            return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
          },
        });
      },
    };
    const [a, b] = [await openStopBus(backend, { clock }), await openStopBus(backend, { clock })];
    const [hosting, asking] = [new SessionRegistry({ bus: a, clock }), new SessionRegistry({ bus: b, clock })];
    await during(clock, hosting.open('chat', { groups }).ready());
    // Ended, and opened again for a new message, while the list is on its way.
    listed = async () => {
      await hosting.close('chat', undefined, { willRetry });
      const session = hosting.open('chat', { groups });
      await session.ready();
      void session.controller.runTurn(obedient);
    };
    const stop = await during(clock, asking.cancelGroup('tenant:acme', 'enough'));
    await clock.advance(20_000);
    expect([statusesOf(stop), hosting.open('chat').controller.state]).toEqual(expected);
    await during(clock, hosting.drain({ timeoutMs: 0 }));
    for (const bus of [a, b]) await during(clock, bus.close());
  });

  it('D5 a stop of a group is not complete while the engine is away, and tells what is here', async () => {
    const clock = new VirtualClock({ startAt: 1_000_000 });
    const real = memoryBackend({ clock });
    const away = (): Promise<never> => Promise.reject(new Error('away'));
    const backend: StopBackend = {
      ...real,
      connect: async (...args) => Object.assign(await real.connect(...args), { list: away, read: away }),
    };
    const bus = await openStopBus(backend, { clock, confirmMs: 1_000 });
    const sessions = new SessionRegistry({ bus, clock });
    await during(clock, sessions.open('here', { groups }).ready());
    const turn = sessions.open('here').controller.runTurn(obedient);
    const stop = await during(clock, sessions.cancelGroup('tenant:acme', 'enough', settled));
    expect([stop.isComplete, stop.receipts.map(({ sessionId }) => sessionId)]).toEqual([false, ['here']]);
    expect((await turn).status).toBe('cancelled');
    await during(clock, bus.close());
    await expect(sessions.cancelGroup('tenant:acme')).resolves.toMatchObject({ isComplete: false, receipts: [] });
  });

  it('a stop of a group that nobody waits for any more ends no process by what it cannot confirm', async () => {
    const { clock, backend, b } = await twoProcesses();
    await during(clock, b.sessions.open('chat', { groups }).ready());
    let isAway = false;
    const connect: StopBackend['connect'] = async (...args) => {
      const connection = await backend.connect(...args);
      const [pull, read] = [connection.pull.bind(connection), connection.read.bind(connection)];
      return Object.assign(connection, {
        pull: (ms: number, mark: string) => (isAway ? new Promise<never>(() => undefined) : pull(ms, mark)),
        read: (id: string) => (isAway ? Promise.reject(new Error('away')) : read(id)),
      });
    };
    const bus = await openStopBus({ ...backend, connect }, { clock, confirmMs: 1_000 });
    const member = bus.join('other');
    await clock.advance(10);
    isAway = true;
    const asking = new SessionRegistry({ bus, clock });
    const asked = await during(clock, asking.cancelGroup('tenant:acme', 'enough', { timeoutMs: 100 }));
    expect(asked).toMatchObject({ isComplete: false, receipts: [] });
    // A rejection that nobody hears ends a process, and fails this run.
    await clock.advance(4_000);
    isAway = false;
    member.release();
    await during(clock, b.sessions.drain({ timeoutMs: 0 }));
    for (const each of [bus, b.bus]) await during(clock, each.close());
  });

  it('D5 a stop of a group is not complete where an engine lists it, and does not say whether the lease of its asker is there', async () => {
    const clock = new VirtualClock({ startAt: 1_000_000 });
    const real = memoryBackend({ clock });
    let isSilent = false;
    const connect: StopBackend['connect'] = async (...args) => {
      const connection = await real.connect(...args);
      const pull = connection.pull.bind(connection);
      const never = new Promise<never>(() => undefined);
      return Object.assign(connection, { pull: (ms: number, mark: string) => (isSilent ? never : pull(ms, mark)) });
    };
    const bus = await openStopBus({ ...real, connect }, { clock, confirmMs: 1_000 });
    const sessions = new SessionRegistry({ bus, clock });
    await during(clock, sessions.open('here', { groups }).ready());
    isSilent = true;
    const stop = await during(clock, sessions.cancelGroup('tenant:acme'));
    expect([stop.isComplete, stop.receipts.length]).toEqual([false, 1]);
    isSilent = false;
    await during(clock, bus.close());
  });

  it('D5 a stop of a group is not complete right after the engine lost everything, where the asker has a lease to miss', async () => {
    const { clock, open, lose } = forgetfulEngine();
    const [{ bus: a, sessions: hosting }, { bus: b, sessions: asking }] = [await open(), await open()];
    await during(clock, hosting.open('chat', { groups }).ready());
    await during(clock, asking.open('other').ready());
    expect((await during(clock, asking.cancelGroup('tenant:acme'))).isComplete).toBe(true);
    lose();
    expect(await during(clock, asking.cancelGroup('tenant:acme'))).toMatchObject({ isComplete: false, receipts: [] });
    await clock.advance(15_000);
    const again = await during(clock, asking.cancelGroup('tenant:acme'));
    expect([again.isComplete, again.receipts.map(({ sessionId }) => sessionId)]).toEqual([true, ['chat']]);
    await during(clock, asking.drain({ timeoutMs: 0 }));
    for (const bus of [a, b]) await during(clock, bus.close());
    expect(clock.pending).toBe(0);
  });

  it('D5 a stop of a group is not complete right after the engine lost everything, where the asker holds no lease or is new', async () => {
    const { clock, open, lose } = forgetfulEngine();
    const [host, front] = [await open(), await open()];
    await during(clock, host.sessions.open('chat', { groups }).ready());
    expect((await during(clock, front.sessions.cancelGroup('tenant:other'))).isComplete).toBe(true);
    lose();
    const later = await open();
    for (const { sessions } of [front, later])
      expect(await during(clock, sessions.cancelGroup('tenant:acme'))).toMatchObject({
        isComplete: false,
        receipts: [],
      });
    // Half of the lease of 15,000 milliseconds.
    await clock.advance(7_500);
    const again = await during(clock, front.sessions.cancelGroup('tenant:acme'));
    expect([again.isComplete, again.receipts.map(({ sessionId }) => sessionId)]).toEqual([true, ['chat']]);
    await during(clock, host.sessions.drain({ timeoutMs: 0 }));
    for (const { bus } of [host, front, later]) await during(clock, bus.close());
    expect(clock.pending).toBe(0);
  });

  it('a stop of a group is not for a session that was in it once, though an engine lists that still', async () => {
    const clock = new VirtualClock({ startAt: 1_000_000 });
    const real = memoryBackend({ clock });
    const connect: StopBackend['connect'] = async (...args) => {
      const connection = await real.connect(...args);
      const swap = connection.swap.bind(connection);
      return Object.assign(connection, { swap: (change: StopSwap) => swap({ ...change, leaves: [] }) });
    };
    const bus = await openStopBus({ ...real, connect }, { clock });
    const sessions = new SessionRegistry({ bus, clock });
    await during(clock, sessions.open('chat', { groups }).ready());
    await during(clock, sessions.close('chat'));
    const turn = sessions.open('chat').controller.runTurn(obedient);
    await clock.advance(50);
    const stop = await during(clock, sessions.cancelGroup('tenant:acme'));
    expect([stop.receipts, sessions.open('chat').controller.state]).toEqual([[], 'running']);
    await during(clock, sessions.close('chat'));
    await turn;
    await during(clock, bus.close());
  });

  it('a stop of a large group leaves the event loop to others, where it is asked for and where it is told', async () => {
    const clock = new VirtualClock({ startAt: 1_000_000 });
    const real = memoryBackend({ clock });
    // What wakes the host comes in one go, as after something that has held it up.
    let wakes: (() => void)[] = [];
    let asked = 0;
    const connect: StopBackend['connect'] = async (node, events) => {
      const wake: typeof events.wake = (...woken) => void wakes.push(() => events.wake(...woken));
      const connection = await real.connect(node, { ...events, wake });
      const read = connection.read.bind(connection);
      return Object.assign(connection, { read: (id: string) => (asked++, read(id)) });
    };
    const bus = await openStopBus({ ...real, connect }, { clock });
    const asking = await openStopBus({ ...real, connect }, { clock });
    const [hosting, sessions] = [new SessionRegistry({ bus, clock }), new SessionRegistry({ bus: asking, clock })];
    const opened = Array.from({ length: 250 }, (_, n) => hosting.open(`chat-${n}`, { groups }));
    await during(clock, Promise.all(opened.map((session) => session.ready())));
    for (const { controller } of opened) void controller.runTurn(obedient);
    [asked, wakes] = [0, []];
    const stop = sessions.cancelGroup('tenant:acme', 'enough');
    // What takes no timer is of one turn of the event loop.
    for (let n = 0; n < 1_000; n++) await Promise.resolve();
    const first = asked;
    expect((await during(clock, stop)).receipts).toHaveLength(250);
    expect([first, wakes.length]).toEqual([100, 250]);
    for (const wake of wakes) wake();
    const stopped = (): number => opened.filter(({ controller }) => controller.state !== 'running').length;
    const atOnce = stopped();
    await clock.advance(5);
    expect([atOnce, stopped()]).toEqual([100, 250]);
    await during(clock, hosting.drain({ timeoutMs: 0 }));
    for (const each of [bus, asking]) await during(clock, each.close());
  });
});
