import { describe, expect, it } from 'vitest';

import { openStopBus, type StopConnection } from '../../../src/remote/index.ts';
import { decodeRecord, encodeRecord } from '../../../src/remote/record/run-record.ts';
import { SessionRegistry } from '../../../src/sessions/index.ts';
import { obedient } from '../../core/interrupt/kit.ts';
import { during, twoProcesses } from '../kit.ts';

/** Its operations, to be changed one by one. */
function bound(connection: StopConnection): StopConnection {
  const names = ['listen', 'read', 'swap', 'pull', 'renew', 'alive', 'list', 'reset', 'close'] as const;
  return Object.fromEntries(names.map((name) => [name, Reflect.get(connection, name).bind(connection)])) as never;
}

const reports = { deliver: () => new Promise<never>(() => undefined) };

describe('a stop that somebody waits for', () => {
  it('D5 a stop that somebody waits for is never said to be settled while its work goes on', async () => {
    const { clock, a, b } = await twoProcesses();
    a.bus.host('chat', reports);
    await clock.advance(10);
    let isAnswered = false;
    const asked = b.sessions.cancel('chat', 'x', { wait: 'settled', timeoutMs: 3_000 });
    void asked.then(() => (isAnswered = true));
    await clock.advance(2_999);
    expect(isAnswered).toBe(false);
    await clock.advance(1);
    expect(await asked).toMatchObject({ status: 'observed', timedOut: true });
  });

  it.each(['nobody had hosted its session', 'its host was replaced before it heard'])(
    'a stop that somebody waits for, and asked for when %s, names the hosting that was told',
    async (when) => {
      const { clock, backend, a, b } = await twoProcesses();
      const connect: typeof backend.connect = (node, events) =>
        backend.connect(node, { ...events, wake: () => undefined });
      const deaf = await openStopBus({ ...backend, connect }, { clock });
      const before = new SessionRegistry({ bus: deaf, clock });
      if (when.startsWith('its')) await during(clock, before.open('chat').ready());
      const asked = b.sessions.cancel('chat', 'user', { wait: 'settled' });
      await clock.advance(100);
      await during(clock, a.sessions.open('chat').ready());
      void a.sessions.open('chat').controller.runTurn(obedient);
      const { epoch } = await during(clock, a.sessions.look('chat'));
      expect(await during(clock, asked)).toMatchObject({ status: 'settled', epoch });
      await during(clock, deaf.close());
    },
  );

  it('D7 a stop that somebody waits for in a process whose hosting was replaced unheard is superseded at once, and tells of no loss', async () => {
    const { clock, backend, b } = await twoProcesses();
    // Its wake-ups never come.
    const connect: typeof backend.connect = (node, events) =>
      backend.connect(node, { ...events, wake: () => undefined });
    const bus = await openStopBus({ ...backend, connect }, { clock });
    const sessions = new SessionRegistry({ bus, clock });
    for (const id of ['chat', 'other']) await during(clock, sessions.open(id).ready());
    const { controller } = sessions.open('chat');
    const turn = controller.runTurn(obedient);
    await during(clock, b.sessions.open('chat', { again: true }).ready());
    const wait = { wait: 'settled' } as const;
    expect(await during(clock, sessions.cancel('chat', 'user', wait), 100)).toMatchObject({ status: 'superseded' });
    expect((await during(clock, turn)).status).toBe('cancelled');
    await clock.advance(100);
    expect(await during(clock, sessions.cancel('other', 'user', wait), 100)).toMatchObject({ status: 'settled' });
    await during(clock, bus.close());
  });

  it('D5 a stop that somebody waits for of a turn to come here, for which the record has no room, settles with that, and tells of no loss', async () => {
    const { clock, a } = await twoProcesses();
    const session = a.sessions.open('chat');
    for (const id of ['chat', 'other']) await during(clock, a.sessions.open(id).ready());
    const wait = { wait: 'settled', timeoutMs: 60_000 } as const;
    const asked = Array.from({ length: 30 }, (_, index) =>
      a.sessions.cancel('chat', 'user', { ...wait, turnId: index + 1 }),
    );
    await clock.advance(2_000);
    expect(await during(clock, a.sessions.cancel('other', 'user', wait), 100)).toMatchObject({ status: 'settled' });
    for (let n = 0; n < 30; n++)
      expect(
        (
          await during(
            clock,
            session.controller.runTurn(() => 'ran'),
          )
        ).status,
      ).toBe('cancelled');
    for (const receipt of await during(clock, Promise.all(asked)))
      expect(receipt).toMatchObject({ status: 'settled', timedOut: false });
  });

  /** A host that says no word of its own accord, once it has written itself down. */
  async function silentHost({ backend }: Pick<Awaited<ReturnType<typeof twoProcesses>>, 'backend'>) {
    const silent = { wake: () => undefined, resync: () => undefined, down: () => undefined };
    const host = await backend.connect('gone', silent);
    const write = (from: string | undefined, to: string, ttlMs = 1e6) =>
      host.swap({ runId: 'chat', from, to, ttlMs, inboxes: [], hints: [], handled: false });
    await host.pull(15_000, 'g');
    await write(undefined, '[1,5,1,"gone","c",[],[]]');
    return { host, write };
  }

  it('D4 a stop that somebody waits for tells the reason that its work was stopped with, which may be of another stop', async () => {
    const { clock, a, b } = await twoProcesses();
    const session = b.sessions.open('chat');
    await during(clock, session.ready());
    const turn = session.controller.runTurn(obedient);
    const by = (who: string) => ({ kind: 'user', by: who }) as const;
    const asked = Promise.all([
      a.sessions.cancel('chat', by('ada'), { wait: 'settled' }),
      b.sessions.cancel('chat', by('bob'), { wait: 'settled' }),
    ]);
    const receipts = await during(clock, asked);
    expect(receipts.map(({ status, reason }) => [status, reason.by])).toEqual([
      ['settled', 'bob'],
      ['settled', 'bob'],
    ]);
    expect(await turn).toMatchObject({ reason: { by: 'bob' } });
    await during(clock, Promise.all([a.bus.close(), b.bus.close()]));
  });

  it('a stop that comes when its host was told of another, and has not said so, stops what has begun since', async () => {
    const { clock, backend, a } = await twoProcesses();
    const connect: typeof backend.connect = async (node, events) => {
      const connection = await backend.connect(node, events);
      const swap: typeof connection.swap = (change) =>
        new Promise((resolve) => clock.setTimer(() => resolve(connection.swap(change)), 40, { ref: true }));
      return { ...bound(connection), swap };
    };
    const bus = await openStopBus({ ...backend, connect }, { clock });
    const { controller, ready } = new SessionRegistry({ bus, clock }).open('chat');
    await during(clock, ready());
    const first = controller.runTurn(obedient);
    const asked = a.sessions.cancel('chat', { kind: 'user', by: 'ada' }, { wait: 'settled' });
    // It has begun before anybody can read that the first one was told.
    const second = first.then(() => controller.runTurn(obedient));
    await during(clock, first);
    const again = await during(clock, a.sessions.cancel('chat', { kind: 'user', by: 'bob' }, { wait: 'settled' }));
    expect([await asked, again].map(({ status, reason, report }) => [status, reason.by, report?.reason?.by])).toEqual([
      ['settled', 'ada', 'ada'],
      ['settled', 'bob', 'bob'],
    ]);
    expect(await during(clock, second)).toMatchObject({ reason: { by: 'bob' } });
    await during(clock, Promise.all([a.bus.close(), bus.close()]));
  });

  it('D6 a stop that somebody waits for comes to runner-dead when its host is gone without a word', async () => {
    const stage = await twoProcesses();
    await silentHost(stage);
    const asked = stage.b.sessions.cancel('chat', 'x', { wait: 'settled', timeoutMs: 60_000 });
    await stage.clock.advance(15_000 + 7_500 + 2_000);
    expect(await asked).toMatchObject({ status: 'runner-dead', timedOut: false });
  });

  it.each([
    ['', 1e6],
    [', and the engine has lost the record', 500],
  ])(
    'D6 a stop that somebody waits for comes to runner-dead when its host is gone after it was told%s',
    async (_, ttlMs) => {
      const stage = await twoProcesses();
      const { host, write } = await silentHost(stage);
      const asked = stage.b.sessions.cancel('chat', 'x', { wait: 'settled', timeoutMs: 60_000 });
      await stage.clock.advance(100);
      const { value = '' } = await host.read('chat');
      const record = decodeRecord(value);
      const told = record.stops.map((stop) => ({ ...stop, phase: 'observed' as const }));
      expect(await write(value, encodeRecord({ ...record, stops: told }), ttlMs)).toMatchObject({ swapped: true });
      await stage.clock.advance(15_000 + 7_500 + 2_000);
      expect(await asked).toMatchObject({ status: 'runner-dead', timedOut: false });
    },
  );

  it('D5 a stop that somebody waits for waits for the members beside its asker, though the engine has lost them', async () => {
    const { clock, backend, a, b } = await twoProcesses();
    const member = a.bus.join('chat');
    await clock.advance(10);
    const engine = await backend.connect('engine', { wake: nothing, resync: nothing, down: nothing });
    const { value: from, value: to = '' } = await engine.read('chat');
    await engine.swap({ runId: 'chat', from, to, ttlMs: 1, inboxes: [], hints: [], handled: false });
    await clock.advance(1);
    let said: string | undefined;
    const asked = a.sessions.cancel('chat', 'x', { wait: 'settled', timeoutMs: 60_000 });
    void asked.then(({ status }) => (said = status));
    const { controller, ready } = b.sessions.open('chat');
    const turn = ready().then(() => controller.runTurn(obedient));
    await clock.advance(1_000);
    expect([(await turn).status, said, member.token.isCancelled]).toEqual(['cancelled', undefined, true]);
    member.release();
    await during(clock, asked);
    expect(said).toBe('settled');
  });
});

function nothing(): void {
  // Hears nothing.
}
