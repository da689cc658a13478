import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/core/foundation/reason.ts';
import { memoryBackend, openStopBus, type StopBackend, type StopConnection } from '../../src/remote/index.ts';
import { SessionRegistry, type RemoteReceipt } from '../../src/sessions/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { obedient } from '../core/interrupt/kit.ts';
import { during, forgetfulEngine, twoProcesses } from './kit.ts';

const host = { deliver: () => new Promise<never>(() => undefined) };

describe('one process on the bus', () => {
  it.each(['before it is open', 'once it is open'])(
    'one process on the bus stops a session, however many stops of its turns wait %s',
    async (when) => {
      const { clock, a, b } = await twoProcesses();
      const events: string[] = [];
      for (const { bus } of [a, b]) bus.onEvent(({ type }) => events.push(type));
      const open = async () => {
        const { controller, ready } = a.sessions.open('chat', { groups: ['acme'] });
        await during(clock, ready());
        return controller;
      };
      const opened = when === 'once it is open' ? await open() : undefined;
      const asked: string[] = [];
      for (let turnId = 2; turnId < 42; turnId++)
        asked.push((await during(clock, b.sessions.cancel('chat', 'one', { turnId, timeoutMs: 1_000 }))).status);
      expect(asked.map((status) => status === 'refused')).toEqual(asked.map((_, index) => index >= 24));
      const turn = opened?.runTurn(obedient);
      for (const level of ['cancel', 'kill'] as const) {
        const receipt = await during(clock, b.sessions.cancel('chat', 'stop it', { level, timeoutMs: 1_000 }));
        expect(receipt.status).toBe(opened ? 'requested' : 'pending');
      }
      if (opened) {
        const { receipts } = await during(clock, b.sessions.cancelGroup('acme', 'group', { wait: 'settled' }));
        expect(receipts).toMatchObject([{ status: 'settled' }]);
        expect((await during(clock, a.sessions.cancel('chat', 'here', { wait: 'settled' }))).status).toBe('settled');
      }
      const controller = opened ?? (await open());
      expect(await during<unknown>(clock, turn ?? controller.runTurn(() => 1))).toMatchObject({
        reason: { message: 'stop it' },
      });
      // Those of single turns are there.
      expect(
        await during(
          clock,
          controller.runTurn(() => 1),
        ),
      ).toMatchObject({ reason: { message: 'one' } });
      // Nobody blames the engine.
      expect(events.filter((type) => type !== 'told')).toEqual([]);
    },
  );

  it('one process on the bus hosts a session once, and again when it was given up', async () => {
    const { a } = await twoProcesses();
    const hosting = a.bus.host('chat', host);
    expect(() => a.bus.host('chat', host)).toThrow('the session "chat" is hosted already');
    hosting.release();
    a.bus.host('chat', host).release();
  });

  it('one process on the bus that closes gives up its runs and its lease', async () => {
    const { clock, backend, a, b } = await twoProcesses();
    a.bus.host('chat', host);
    await clock.advance(10);
    await during(clock, a.bus.close());
    await a.bus.close();
    expect((await during(clock, b.sessions.cancel('chat', 'enough', { wait: 'settled' }))).status).toBe('runner-dead');
    expect(() => a.bus.host('chat', host)).toThrow('the stop bus is closed');
    expect(() => a.bus.join('chat')).toThrow('the stop bus is closed');
    await expect(a.bus.request({ sessionId: 'chat', reason: createReason('user') })).rejects.toThrow('closed');
    const probe = await backend.connect('p', { wake: () => undefined, resync: () => undefined, down: () => undefined });
    const { value } = await probe.read('chat');
    expect(value).toContain('[1,');
    await during(clock, b.bus.close());
    expect(clock.pending).toBe(0);
  });

  it('one process on the bus that closes says of a turn that still runs neither that it ended nor that it was stopped', async () => {
    const { clock, a, b } = await twoProcesses();
    const deaf = { told: undefined as string | undefined };
    const { controller } = a.sessions.open('chat');
    void controller.runTurn(({ token }) => {
      token.onCancelled(({ kind }) => (deaf.told = kind));
      return new Promise<never>(() => undefined);
    });
    await clock.advance(10);
    const lost: unknown[] = [];
    a.bus.onEvent((event) => lost.push(event));
    await during(clock, a.bus.close());
    expect((await b.sessions.look('chat')).state).toBe('silent');
    const receipt = await during(clock, b.sessions.cancel('chat', 'enough', { wait: 'settled' }));
    expect(receipt.status).toBe('runner-dead');
    // D8: nobody can stop it from elsewhere, and another process may open the session now.
    expect(deaf.told).toBe('lease-lost');
    expect(lost).toEqual([{ type: 'lease-lost', sessionIds: ['chat'] }]);
    // What nobody was told of is for whoever opens the session next.
    const turn = b.sessions.open('chat').controller.runTurn(obedient);
    await clock.advance(10);
    expect(await turn).toMatchObject({ reason: { message: 'enough' } });
  });

  it('one process on the bus that closes stops what the engine never knew of, and names it', async () => {
    const clock = new VirtualClock({ startAt: 1_000_000 });
    const memory = memoryBackend({ clock });
    const away = { pull: () => Promise.reject(new Error('away')) };
    const connect: typeof memory.connect = async (node, events) => {
      const connection = await memory.connect(node, events);
      return Object.assign(connection, away);
    };
    const bus = await openStopBus({ ...memory, connect }, { clock });
    const told: string[] = [];
    bus.host('chat', { deliver: ({ reason }) => (told.push(reason.kind), new Promise<never>(() => undefined)) });
    await clock.advance(10);
    bus.onEvent((event) => told.push(event.type));
    await during(clock, bus.close());
    expect(told).toEqual(['degraded', 'lease-lost', 'lease-lost']);
  });

  it('one process on the bus that closes waits for what a stop has told to end, and says what became of it', async () => {
    const { clock, a, b } = await twoProcesses();
    const turn = a.sessions
      .open('chat')
      .controller.runTurn(() => new Promise<void>((resolve) => clock.setTimer(resolve, 300, { ref: true })));
    await clock.advance(10);
    const asked = b.sessions.cancel('chat', 'enough', { wait: 'settled' });
    await clock.advance(20);
    const closing = a.bus.close();
    expect((await during(clock, asked)).report?.turnId).toBe(1);
    await Promise.all([closing, turn]);
  });

  it('one process on the bus that closes stops what works for a session, and does not say that it has left', async () => {
    const { clock, a, b } = await twoProcesses();
    b.sessions.open('chat');
    const [gone, works] = [a.bus.join('chat'), a.bus.join('chat')];
    await clock.advance(10);
    gone.release();
    await during(clock, a.bus.close());
    expect(works.token.reason?.kind).toBe('lease-lost');
    const receipt = await during(clock, b.sessions.cancel('chat', 'enough', { wait: 'settled', timeoutMs: 1_000 }));
    expect(receipt).toMatchObject({ status: 'observed', timedOut: true });
    const again = b.sessions.cancel('chat', 'enough', { wait: 'settled' });
    works.release();
    expect((await during(clock, again)).status).toBe('settled');
  });

  it('one process on the bus that closes answers who waits for a stop with what is known by then', async () => {
    const { clock, a, b } = await twoProcesses();
    const works = deferred<undefined>();
    const turn = b.sessions.open('chat').controller.runTurn(() => works.promise);
    await clock.advance(10);
    const asked = a.sessions.cancel('chat', 'enough', { wait: 'settled', timeoutMs: Infinity });
    await clock.advance(50);
    await during(clock, a.bus.close());
    expect(await during(clock, asked, 0)).toMatchObject({ status: 'observed', timedOut: true });
    works.resolve(undefined);
    await turn;
  });

  it('one process on the bus that is closed twice is closed when both say so', async () => {
    const { clock, a } = await twoProcesses();
    const hosting = a.bus.host('chat', host);
    await clock.advance(10);
    let end!: () => void;
    hosting.release({ after: new Promise<void>((resolve) => (end = resolve)) });
    const closed: number[] = [];
    a.bus.onEvent(() => closed.push(0)); // nothing of what ends in good order is lost
    void a.bus.close().then(() => closed.push(1));
    void a.bus.close().then(() => closed.push(2));
    await clock.advance(10);
    expect(closed).toEqual([]);
    end();
    await clock.advance(10);
    expect(closed).toEqual([1, 2]);
  });

  it.each([
    ['that hosts a session', true],
    ['whose last session was given up before', false],
  ])(
    'one process on the bus %s closes within its limit while the engine is silent, and cuts it off',
    async (_, hosts) => {
      const clock = new VirtualClock({ startAt: 1_000_000 });
      const memory = memoryBackend({ clock });
      const closes: boolean[] = [];
      let isSilent = false;
      const silence = new Promise<never>(() => undefined);
      const backend: typeof memory = {
        ...{ name: 'silent', caps: memory.caps },
        connect: async (node, events) => {
          const real = await memory.connect(node, events);
          const heard = <T>(answer: Promise<T>): Promise<T> => (isSilent ? silence : answer);
          return {
            read: (runId) => heard(real.read(runId)),
            swap: (change) => heard(real.swap(change)),
            pull: (ms, proposal) => heard(real.pull(ms, proposal)),
            renew: (runIds, ms) => heard(real.renew(runIds, ms)),
            list: (group) => heard(real.list(group)),
            alive: (nodes) => heard(real.alive(nodes)),
            listen: () => heard(real.listen()),
            reset: () => undefined,
            close: (release) => {
              closes.push(release);
              return heard(real.close(release));
            },
          } satisfies StopConnection;
        },
      };
      const bus = await openStopBus(backend, { clock });
      const hosting = bus.host('chat', host);
      await clock.advance(10);
      if (!hosts) hosting.release();
      await clock.advance(10);
      isSilent = true;
      const closedAt: number[] = [];
      const from = clock.now();
      const closing = bus.close({ timeoutMs: 1_000 }).then(() => closedAt.push(clock.now() - from));
      await clock.advance(999);
      expect(closedAt).toEqual([]);
      await clock.advance(1);
      expect(closedAt).toEqual([1_000]);
      await closing;
      expect(closes).toEqual([true, false]);
      await clock.advance(60_000);
      expect(clock.pending).toBe(0);
    },
  );

  it('one process on the bus whose machine slept past its lease, and does not know, is found again within a third of it', async () => {
    // The engine's time, and that of a machine whose clock stands still while it sleeps.
    const [clock, own] = [new VirtualClock({ startAt: 1_000_000 }), new VirtualClock({ startAt: 1_000_000 })];
    const memory = memoryBackend({ clock });
    const [sleepy, other] = [await openStopBus(memory, { clock: own }), await openStopBus(memory, { clock })];
    const [here, there] = [
      new SessionRegistry({ bus: sleepy, clock: own }),
      new SessionRegistry({ bus: other, clock }),
    ];
    const pass = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 5) for (const each of [clock, own]) await each.advance(5);
    };
    const turn = here.open('chat').controller.runTurn(obedient);
    await pass(20);
    await clock.advance(60_000);
    expect((await there.look('chat')).state).toBe('silent');
    const asked = there.cancel('chat', 'enough');
    await pass(5_000);
    expect([(await asked).status, (await turn).status]).toEqual(['requested', 'cancelled']);
    expect((await there.look('chat')).state).toBe('open');
    const draining = Promise.all([here.drain({ timeoutMs: 0 }), sleepy.close(), other.close()]);
    await pass(100);
    await draining;
  });

  it('one process on the bus that listens to nothing is not woken for what it has asked, and one that does is', async () => {
    const { clock, backend } = await twoProcesses();
    const woken: string[] = [];
    const connect: StopBackend['connect'] = async (node, events) => {
      const real = await backend.connect(node, events);
      const swap = real.swap.bind(real);
      real.swap = (change) => (woken.push(...change.hints), swap(change));
      return real;
    };
    const [host, asker] = [
      await openStopBus({ ...backend, connect }, { clock }),
      await openStopBus(backend, { clock }),
    ];
    const [hosts, asks] = [host, asker].map((bus) => new SessionRegistry({ bus, clock })) as [
      SessionRegistry,
      SessionRegistry,
    ];
    const stop = async (): Promise<number> => {
      void hosts.open('chat', { again: true }).controller.runTurn(obedient);
      await during(clock, hosts.open('chat').ready());
      await during(clock, asks.cancel('chat', 'enough', { wait: 'settled' }));
      await hosts.close('chat');
      await clock.advance(10);
      return woken.splice(0).length;
    };
    expect(await stop()).toBe(0);
    asks.open('own');
    await clock.advance(10);
    expect(await stop()).toBeGreaterThan(0);
    await during(clock, Promise.all([host.close(), asker.close()]));
  });

  it('one process on the bus that hosts nothing arms no timer', async () => {
    const { clock, a } = await twoProcesses();
    expect(clock.pending).toBe(0);
    const hosting = a.bus.host('chat', host);
    await clock.advance(10);
    expect(clock.pending).toBeGreaterThan(0);
    hosting.release();
    await clock.advance(10);
    expect(clock.pending).toBe(0);
  });

  it('one process on the bus says how long a stop took to be told, and how much it has to do with the engine', async () => {
    const { clock, a, b } = await twoProcesses();
    const told: unknown[] = [];
    a.bus.onEvent((event) => told.push(event));
    const turns = ['here', 'there'].map((id) => a.sessions.open(id).controller.runTurn(obedient));
    await clock.advance(100);
    await during(clock, a.sessions.cancel('here'));
    await during(clock, b.sessions.cancel('there', 'enough', { wait: 'settled' }));
    await Promise.all(turns);
    expect(told).toEqual([
      { type: 'told', sessionId: 'here', ms: 0 },
      { type: 'told', sessionId: 'there', ms: 0 },
    ]);
    expect(a.bus.load()).toEqual({ waiting: 0, retried: 0 });
    for (const { bus } of [a, b]) await during(clock, bus.close());
  });

  it.each([
    ['at once', 200, 0, 500],
    ['one after the other', 50, 60, 12_000],
  ])(
    'the bus of one process waits for all of many stops of one run, asked for %s',
    async (_, many, pauseMs, workMs) => {
      const { clock, a, b, open } = await twoProcesses();
      const all = [a, b, await open()];
      const told: string[] = [];
      for (const { bus } of all) bus.onEvent(({ type }) => told.push(type));
      const { controller } = a.sessions.open('chat', { graceMs: 60_000 });
      const turn = controller.runTurn(async ({ token }) => {
        await token.whenCancelled();
        await new Promise<void>((resolve) => clock.setTimer(resolve, workMs, { ref: true }));
      });
      await clock.advance(10);
      const asked: Promise<RemoteReceipt>[] = [];
      for (let n = 0; n < many; n++) {
        const { sessions } = all[pauseMs > 0 ? 1 : n % 3] ?? a;
        asked.push(sessions.cancel('chat', { kind: 'user', message: `press ${String(n)}` }, { wait: 'settled', timeoutMs: 60_000 })); // prettier-ignore
        await clock.advance(pauseMs);
      }
      const receipts = await during(clock, Promise.all(asked));
      const ended = await turn;
      const first = ended.status === 'cancelled' ? ended.reason.message : ended.status;
      const kinds = new Set(
        receipts.map(({ status, timedOut, reason }) => `${status} ${String(timedOut)} ${reason.message}`),
      );
      expect([...kinds]).toEqual([`settled false ${first}`]);
      expect(told).not.toContain('degraded');
      expect((await during(clock, b.sessions.cancel('chat', 'user', { wait: 'settled' }))).status).toBe('settled');
    },
  );

  it('a stop that waits for its session waits as long as its asker said, whoever asks beside it and whoever opens it', async () => {
    const { clock, open } = forgetfulEngine();
    const [long, short] = [await open({ pendingMs: 60_000 }), await open({ pendingMs: 1_000 })];
    for (const asker of [long, short]) await during(clock, asker.sessions.cancel('both', 'user'));
    await during(clock, long.sessions.cancel('long', 'user'));
    await during(clock, short.sessions.cancel('short', 'user'));
    // Both at once are one write: the second joins the first, or stands beside it.
    await during(clock, Promise.all([short, long].map(({ sessions }) => sessions.cancel('together', 'user'))));
    await clock.advance(30_000);
    const begun: string[] = [];
    for (const [host, id] of [
      [short, 'both'],
      [short, 'long'],
      [long, 'short'],
      [short, 'together'],
    ] as const) {
      const session = host.sessions.open(id);
      await during(clock, session.ready());
      begun.push(
        `${id} ${
          (
            await during(
              clock,
              session.controller.runTurn(() => 'done'),
            )
          ).status
        }`,
      );
    }
    expect(begun).toEqual(['both cancelled', 'long cancelled', 'short completed', 'together cancelled']);
    for (const { bus, sessions } of [long, short]) {
      await during(clock, sessions.drain({ timeoutMs: 0 }));
      await during(clock, bus.close());
    }
  });
});
