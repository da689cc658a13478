import { describe, expect, it } from 'vitest';

import { memoryBackend, openStopBus, type StopConnection } from '../../src/remote/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { obedient } from '../core/interrupt/kit.ts';
import { during, forgetfulEngine } from './kit.ts';

/** An engine that is away when the test says so, and one bus on it. */
async function onAnEngine(onUnavailable: 'run-local' | 'throw', confirmMs = 100) {
  const clock = new VirtualClock({ startAt: 1_000_000 });
  const memory = memoryBackend({ clock });
  const state = { isAway: false, isReadOnly: false, pulls: 0 };
  const there = <T>(answer: () => Promise<T>, writes: boolean): Promise<T> =>
    state.isAway || (writes && state.isReadOnly) ? Promise.reject(new Error('away')) : answer();
  const connect: typeof memory.connect = async (node, events) => {
    const real = await memory.connect(node, events);
    return {
      read: (runId) => there(() => real.read(runId), false),
      swap: (change) => there(() => real.swap(change), true),
      pull: (ms, proposal) => (state.pulls++, there(() => real.pull(ms, proposal), true)),
      renew: (runIds, ms) => there(() => real.renew(runIds, ms), true),
      list: (group) => there(() => real.list(group), false),
      alive: (nodes) => there(() => real.alive(nodes), false),
      ...{ listen: () => real.listen(), reset: () => undefined, close: (release) => real.close(release) },
    } satisfies StopConnection;
  };
  const bus = await openStopBus({ ...memory, connect }, { clock, onUnavailable, confirmMs });
  const told: string[] = [];
  bus.onEvent(({ type }) => told.push(type));
  return { clock, memory, bus, sessions: new SessionRegistry({ bus, clock }), state, told };
}

describe('a bus on an engine that may be away', () => {
  it('a bus that hosts nothing finds out that its engine is back, and hosts again', async () => {
    const { clock, bus, sessions, state, told } = await onAnEngine('throw');
    state.isAway = true;
    expect((await during(clock, sessions.cancel('other'))).status).toBe('unconfirmed');
    expect(() => sessions.open('next')).toThrow('is not available');
    state.isAway = false;
    await clock.advance(15_000);
    expect(told).toEqual(['degraded', 'recovered']);
    expect(await during(clock, sessions.open('next').ready())).toBe(true);
    await during(clock, sessions.drain({ timeoutMs: 0 }));
    const { pulls } = state;
    await clock.advance(60_000);
    expect([state.pulls, clock.pending]).toEqual([pulls, 0]);
    await bus.close();
  });

  it('a bus that is closed while its engine is away stops what began since it went', async () => {
    const { clock, bus, sessions, state, told } = await onAnEngine('run-local');
    const begun = sessions.open('begun');
    await during(clock, begun.ready());
    state.isAway = true;
    await clock.advance(20_000);
    const member = bus.join('elsewhere');
    const turns = [sessions.open('unclaimed'), begun].map(({ controller }) => controller.runTurn(obedient));
    await during(clock, bus.close({ timeoutMs: 0 }));
    for (const turn of turns) expect(await turn).toMatchObject({ reason: { kind: 'lease-lost' } });
    expect([member.token.reason?.kind, told.at(-1)]).toEqual(['lease-lost', 'lease-lost']);
  });

  it('D11 a session whose end cannot be written is forgotten when its record has gone by itself, and no sooner', async () => {
    const { clock, bus, sessions, state } = await onAnEngine('run-local');
    for (const id of ['here', 'claimed']) await during(clock, sessions.open(id).ready());
    state.isAway = true;
    void sessions.open('unclaimed');
    await during(clock, Promise.all(['claimed', 'unclaimed'].map((id) => sessions.close(id))), 200);
    await clock.advance(86_399_000);
    expect(bus.load().waiting).toBe(2);
    await clock.advance(20_000);
    expect(bus.load().waiting).toBe(0);
    const drained = await during(clock, sessions.drain({ timeoutMs: 0 }), 200);
    expect(drained.unconfirmed).toEqual(['here']);
    await during(clock, bus.close({ timeoutMs: 0 }));
  });

  it.each([
    ['is still away', [], { finished: ['chat'], stopped: [], unconfirmed: ['chat'] }, 'silent'],
    ['is back', [15_000], { finished: [], stopped: [] }, 'closed'],
  ])(
    'a session whose end its engine did not take says so, and its drain does, when that %s',
    async (_, back, said, seen) => {
      const { clock, memory, bus, sessions, state } = await onAnEngine('run-local');
      const session = sessions.open('chat');
      await during(clock, session.ready());
      state.isAway = true;
      expect(await during(clock, sessions.close('chat'), 200)).toMatchObject({ abandoned: [], unconfirmed: true });
      state.isAway = back.length === 0;
      for (const ms of back) await clock.advance(ms);
      expect(await during(clock, sessions.drain({ timeoutMs: 0 }), 200)).toMatchObject(said);
      await during(clock, bus.close({ timeoutMs: 0 }));
      state.isAway = false;
      await clock.advance(60_000);
      const other = await openStopBus(memory, { clock });
      expect((await other.look('chat')).state).toBe(seen);
      await other.close();
    },
  );

  it('D12 a bus whose engine is taken over by a late replica writes its session again, under the lease that it has', async () => {
    const { clock, memory, sessions, bus, told } = await onAnEngine('run-local');
    const turn = sessions.open('chat').controller.runTurn(obedient);
    await clock.advance(10);
    const events = { wake: () => undefined, resync: () => undefined, down: () => undefined };
    const replica = await memory.connect('replica', events);
    const { value = '' } = await replica.read('chat');
    await replica.swap({ runId: 'chat', from: value, to: value, ttlMs: 1, inboxes: [], hints: [], handled: false });
    // Nothing has failed: the next heartbeat finds its lease, and looks for what is new since the one before.
    await clock.advance(5_000);
    expect(told).toEqual([]);
    const other = await openStopBus(memory, { clock });
    const asking = new SessionRegistry({ bus: other, clock });
    expect((await during(clock, asking.cancel('chat', 'enough', { wait: 'settled' }))).status).toBe('settled');
    expect((await turn).status).toBe('cancelled');
    await during(clock, sessions.drain({ timeoutMs: 0 }));
    await during(clock, Promise.all([bus.close(), other.close(), replica.close(true)]));
  });

  it('a bus that only asks knows by its next stop that the engine is back', async () => {
    const { clock, bus, sessions, state, told } = await onAnEngine('run-local');
    state.isAway = true;
    await during(clock, sessions.cancel('other'));
    state.isAway = false;
    expect((await during(clock, sessions.cancel('other'))).status).toBe('pending');
    expect(told).toEqual(['degraded', 'recovered']);
    await bus.close();
    expect(clock.pending).toBe(0);
  });

  it('a bus takes an engine for back when it takes changes, not when it answers', async () => {
    const { clock, bus, sessions, state, told } = await onAnEngine('run-local');
    state.isReadOnly = true;
    expect((await during(clock, sessions.cancel('other'))).status).toBe('unconfirmed');
    await during(clock, sessions.look('other'));
    await clock.advance(60_000);
    expect(told).toEqual(['degraded']);
    state.isReadOnly = false;
    await clock.advance(15_000);
    expect(told).toEqual(['degraded', 'recovered']);
    await bus.close();
  });

  it('a bus counts what waits for an engine that is away, and what it has tried again', async () => {
    const { clock, bus, sessions, state, told } = await onAnEngine('run-local');
    state.isAway = true;
    const asked = sessions.cancel('other');
    await clock.advance(10);
    expect([told, bus.load()]).toEqual([['degraded'], { waiting: 1, retried: 0 }]);
    await clock.advance(200);
    expect((await asked).status).toBe('unconfirmed');
    expect(bus.load().waiting).toBe(0);
    expect(bus.load().retried).toBeGreaterThan(1);
    state.isAway = false;
    await during(clock, bus.close());
  });

  it('the drain of a bus that finds that the engine has lost its records is over when its ends are written, though its stops are not', async () => {
    const { clock, open, lose } = forgetfulEngine();
    const [{ bus: a, sessions: hosting }, { bus: b, sessions: asking }] = [await open(), await open()];
    const { controller, ready } = hosting.open('chat');
    await during(clock, ready());
    const turn = controller.runTurn(obedient);
    void hosting.cancel('chat');
    await turn;
    lose();
    const from = clock.now();
    const { unconfirmed } = await during(clock, hosting.drain({ timeoutMs: 0 }));
    expect([unconfirmed, clock.now() - from < 100]).toEqual([undefined, true]);
    expect(await asking.look('chat')).toMatchObject({ state: 'closed', stop: { status: 'observed' } });
    // The next heartbeat, and half of the lease of 15,000 milliseconds.
    await clock.advance(12_500);
    expect(await asking.look('chat')).toMatchObject({ state: 'closed', stop: { status: 'settled' } });
    for (const bus of [a, b]) await during(clock, bus.close());
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['its retry', false, 'cancelled'],
    ['nobody who hosts it elsewhere', true, 'completed'],
  ])('D10 a stop of a session whose claim never arrived stops %s', async (_whom, isHosted, status) => {
    const { clock, memory, sessions, bus, state } = await onAnEngine('run-local', 5_000);
    const other = await openStopBus(memory, { clock });
    const elsewhere = new SessionRegistry({ bus: other, clock });
    const next = () => {
      const { runTurn } = elsewhere.open('job').controller;
      const later = new Promise<void>((resolve) => clock.setTimer(resolve, 4_000, { ref: true }));
      return runTurn(({ token }) => Promise.race([token.whenCancelled(), later]));
    };
    const running = isHosted ? next() : undefined;
    await clock.advance(10);
    state.isAway = true;
    const { controller } = sessions.open('job');
    const turn = controller.runTurn(obedient);
    await clock.advance(10);
    controller.cancel('user');
    const ending = sessions.close('job', undefined, { willRetry: true });
    await turn;
    state.isAway = false;
    await clock.advance(2_000);
    expect((await during(clock, running ?? next())).status).toBe(status);
    await during(
      clock,
      Promise.all([ending, bus.close(), elsewhere.drain({ timeoutMs: 0 }).then(() => other.close())]),
    );
  });
});
