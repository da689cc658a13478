import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';

import { deferred } from '../../src/testing/fakes.ts';
import { createReason } from '../../src/core/foundation/reason.ts';
import {
  CancellationTokenSource,
  delay,
  raceCancellation,
  type CancellationToken,
  type InterruptController,
} from '../../src/index.ts';
import { inProcessStopBus } from '../../src/sessions/in-process-stop-bus.ts';
import { SessionRegistry, type StopBus } from '../../src/sessions/index.ts';
import type { SessionHost } from '../../src/sessions/stop-bus.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { call, deaf, hasSettled, obedient, tick, withReported } from '../core/interrupt/kit.ts';

function registry(options: { bus?: StopBus } = {}) {
  const clock = new VirtualClock();
  return { clock, sessions: new SessionRegistry({ clock, ...options }) };
}

describe('the options of a registry', () => {
  it.each([null, 'bus', { clock: {} }, { clock: null }, { clock: { now: () => 1 } }, { bus: {} }, { pendingMs: '1' }])(
    '%o is refused',
    (options) => {
      expect(() => new SessionRegistry(options as never)).toThrow(/^(options|clock|bus|pendingMs) must .*, got /);
    },
  );
});

describe('a session', () => {
  it('a session is opened once per id, with its controller', () => {
    const { sessions } = registry();
    const a = sessions.open('a', { name: 'main' });
    expect(sessions.open('a')).toBe(a);
    expect([a.id, a.controller.name, sessions.open('b').controller.name]).toEqual(['a', 'main', 'b']);
  });

  it.each([undefined, '', 7, 'a\ud800'])('a session with the id %o is refused', async (id) => {
    const { sessions } = registry();
    expect(() => sessions.open(id as never)).toThrow('id must be a string');
    await expect(sessions.cancel(id as never)).rejects.toThrow('id must be a string');
    expect(sessions.open('a\u{1f600}').id).toBe('a😀');
  });
});

describe('cancel by id', () => {
  it('cancel by id is a person’s if nobody says whose, and so are cancelAll, pause and kill', async () => {
    const { sessions } = registry();
    const { controller, pause } = sessions.open('a');
    const stops = [() => sessions.cancel('a'), () => sessions.cancelAll(), () => pause(), () => sessions.kill('a')];
    for (const stop of stops) {
      const turn = controller.runTurn(obedient);
      await tick();
      await stop();
      expect(await turn).toMatchObject({ status: 'cancelled', reason: { kind: 'user', message: 'User cancelled' } });
    }
  });

  it('cancel by id that comes early to what has started meanwhile is for that, and for nothing after', async () => {
    let host: SessionHost | undefined;
    const inner = inProcessStopBus();
    const bus: StopBus = {
      host: (id, given) => inner.host(id, (host = given)),
      request: (request) => inner.request(request),
    };
    const { controller } = registry({ bus }).sessions.open('a');
    const background = controller.background('job', obedient);
    await host?.deliver({ sessionId: 'a', reason: createReason('user') }, { remainingMs: 1_000 });
    expect((await background.outcome).status).toBe('cancelled');
    expect((await controller.runTurn(() => 'runs')).status).toBe('completed');
    // It was for the turn that has ended since, or for none.
    await host?.deliver({ sessionId: 'a', reason: createReason('user') }, { remainingMs: 1_000 });
    expect((await controller.runTurn(() => 'runs')).status).toBe('completed');
  });

  it('cancel by id says how far it came, and waits if asked to', async () => {
    const { sessions, clock } = registry();
    const { controller } = sessions.open('a', { graceMs: 100 });
    const turn = controller.runTurn(({ tool }) => tool(call('deaf'), deaf));
    await tick();
    const asked = await sessions.cancel('a', 'enough');
    expect(asked).toMatchObject({ sessionId: 'a', status: 'observed', timedOut: false, reason: { message: 'enough' } });
    const waiting = sessions.cancel('a', 'again', { wait: 'settled' });
    expect(await hasSettled(waiting)).toBe(false);
    await clock.advance(100);
    expect(await waiting).toMatchObject({ status: 'settled', report: { abandoned: ['deaf'] } });
    expect((await waiting).report).toBe((await turn).stop);
  });

  it('cancel by id tells the reason that the work was stopped with, which may be of another stop', async () => {
    const { sessions } = registry();
    const turn = sessions.open('a').controller.runTurn(obedient);
    const asked = ['first', 'second'].map((reason) => sessions.cancel('a', reason, { wait: 'settled' }));
    expect((await Promise.all(asked)).map(({ reason }) => reason.message)).toEqual(['first', 'first']);
    expect(await turn).toMatchObject({ reason: { message: 'first' } });
    expect((await sessions.cancel('none', 'third')).reason.message).toBe('third');
  });

  it('cancel by id gives up waiting when its time is up, with the last that is known', async () => {
    const { sessions, clock } = registry();
    void sessions.open('a', { graceMs: 1_000 }).controller.runTurn(deaf);
    const waiting = sessions.cancel('a', undefined, { wait: 'settled', timeoutMs: 50 });
    await clock.advance(50);
    expect(await waiting).toMatchObject({ status: 'observed', timedOut: true });
    await clock.advance(1_000);
    expect(clock.pending).toBe(0);
  });

  it('cancel by id leaves no timer behind when the answer came in time', async () => {
    const { sessions, clock } = registry();
    void sessions.open('a').controller.runTurn(obedient);
    const receipt = await sessions.cancel('a', undefined, { wait: 'settled', timeoutMs: 60_000 });
    expect(receipt.status).toBe('settled');
    expect(clock.pending).toBe(0);
  });

  it('cancel by id that comes first is born into the session: what starts first, and no other', async () => {
    const { sessions } = registry();
    expect(await sessions.cancel('a', 'early')).toMatchObject({
      status: 'pending',
      timedOut: false,
    });
    const { controller } = sessions.open('a');
    let ran = 0;
    const first = await controller.runTurn(() => ran++);
    expect([first.status, ran, first.status === 'cancelled' && first.reason.message]).toEqual([
      'cancelled',
      0,
      'early',
    ]);
    expect((await controller.runTurn(() => 'fine')).unwrap()).toBe('fine');
    expect(await controller.background('job', () => 'fine').outcome).toMatchObject({ value: 'fine' });
  });

  it('cancel by id that comes first is for background work too, if that is what starts first', async () => {
    const { sessions } = registry();
    await sessions.cancel('a', 'early');
    const { controller } = sessions.open('a');
    let ran = 0;
    const first = await controller.background('job', () => ran++).outcome;
    expect([first, ran]).toMatchObject([{ status: 'cancelled', reason: { message: 'early' } }, 0]);
    expect((await controller.runTurn(() => 'fine')).unwrap()).toBe('fine');
  });

  it('cancel by id that comes first is too old after its time, whatever starts then', async () => {
    const { sessions, clock } = registry();
    await sessions.cancel('a', 'early');
    const { controller } = sessions.open('a');
    await clock.advance(60_001);
    expect(await controller.background('job', () => 'fine').outcome).toMatchObject({ value: 'fine' });
    expect((await controller.runTurn(() => 'fine')).unwrap()).toBe('fine');
  });

  it('cancel by id that comes first is kept beside one of a single turn', async () => {
    const { sessions } = registry();
    await sessions.cancel('a', 'turn 5', { turnId: 5 });
    await sessions.cancel('a', 'everything');
    expect(await sessions.open('a').controller.runTurn(() => 1)).toMatchObject({
      status: 'cancelled',
      reason: { message: 'everything' },
    });
  });

  it('cancel by id that comes after the close is late, and stops nothing of a session that is opened again', async () => {
    const { sessions } = registry();
    sessions.open('a');
    await sessions.close('a');
    expect(await sessions.cancel('a', 'second click')).toMatchObject({ status: 'settled' });
    expect((await sessions.open('a').controller.runTurn(() => 'resumed')).unwrap()).toBe('resumed');
  });

  it('cancel by id of one turn touches that turn only, now, later and never again', async () => {
    const { sessions } = registry();
    await sessions.cancel('a', 'the second', { turnId: 2 });
    const { controller } = sessions.open('a');
    expect(await controller.background('job', () => 'fine').outcome).toMatchObject({ value: 'fine' });
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await controller.runTurn(() => 1)).status);
    expect(statuses).toEqual(['completed', 'cancelled', 'completed']);
    const fourth = controller.runTurn(obedient);
    expect((await sessions.cancel('a', 'late', { turnId: 3, wait: 'settled' })).report?.reason).toBeUndefined();
    await sessions.cancel('a', 'now', { turnId: 4 });
    expect((await fourth).status).toBe('cancelled');
  });

  it('cancel by id of a turn to come is kept for it while another one runs, for as long as the session is open', async () => {
    const { sessions, clock } = registry();
    const { controller } = sessions.open('a');
    const first = controller.runTurn(({ token }) => delay(token, 10));
    for (const turnId of [2, 99]) await sessions.cancel('a', `turn ${String(turnId)}`, { turnId });
    await clock.advance(10);
    expect([(await first).status, (await controller.runTurn(() => 1)).status]).toEqual(['completed', 'cancelled']);
    const waiting = sessions.cancel('a', 'long ago', { turnId: 3, wait: 'settled', timeoutMs: Infinity });
    await clock.advance(3_600_000);
    expect(await hasSettled(waiting)).toBe(false);
    expect((await controller.runTurn(() => 1)).status).toBe('cancelled');
    expect(await waiting).toMatchObject({ status: 'settled', report: { turnId: 3 } });
    expect(clock.pending).toBe(0);
  });

  it('cancel by id of a turn to come is settled when that turn is there and will not begin, and not before', async () => {
    const { sessions, clock } = registry();
    const { controller } = sessions.open('a');
    const options = { turnId: 2, wait: 'settled', timeoutMs: 20 } as const;
    const early = sessions.cancel('a', 'the second', options);
    await clock.advance(20);
    expect(await early).toMatchObject({ status: 'observed', timedOut: true });
    const waiting = sessions.cancel('a', 'again', options);
    await controller.runTurn(() => 'the first');
    const second = controller.accept();
    const receipt = await waiting;
    expect(receipt).toMatchObject({ status: 'settled', reason: { message: 'the second' } });
    expect(receipt.report).toMatchObject({ turnId: 2, reason: receipt.reason, operations: [], abandoned: [] });
    expect(await controller.runTurn(() => 1, { ticket: second })).toMatchObject({ reason: receipt.reason });
  });

  it('cancel by id of a turn to come is settled when the session is closed, and says that it stopped nothing', async () => {
    const { sessions } = registry();
    sessions.open('a');
    const waiting = sessions.cancel('a', 'x', { turnId: 2, wait: 'settled', timeoutMs: Infinity });
    await sessions.close('a');
    expect((await waiting).report).toMatchObject({ reason: undefined, turnId: undefined, operations: [] });
  });

  it('cancel by id that came before the session is settled when the first thing in it will not begin', async () => {
    const { sessions, clock } = registry();
    await sessions.cancel('a', 'early');
    const { controller } = sessions.open('a');
    await clock.advance(0);
    expect((await sessions.look('a')).stop).toMatchObject({ status: 'observed' });
    await controller.runTurn(() => 1);
    await clock.advance(0);
    expect((await sessions.look('a')).stop).toMatchObject({ status: 'settled', reason: { message: 'early' } });
  });

  it.each(['before it is opened', 'once it is open'])(
    'cancel by id of turns to come is refused when a hundred wait, %s',
    async (when) => {
      const { sessions } = registry();
      if (when === 'once it is open') sessions.open('a');
      const asked: string[] = [];
      for (let turnId = 101; turnId > 0; turnId -= 1)
        asked.push((await sessions.cancel('a', 'early', { turnId })).status);
      expect(asked.lastIndexOf('refused')).toBe(100);
      expect(asked.indexOf('refused')).toBe(100);
      expect((await sessions.cancel('a', 'early', { turnId: 101 })).status).not.toBe('refused');
      const { controller } = sessions.open('a');
      const statuses: string[] = [];
      for (let n = 0; n < 3; n += 1) statuses.push((await controller.runTurn(() => 1)).status);
      expect(statuses).toEqual(['completed', 'cancelled', 'cancelled']);
    },
  );

  it('cancel by id reaches the registry that hosts it, over the bus', async () => {
    const bus = inProcessStopBus();
    const [front, worker] = [registry({ bus }).sessions, registry({ bus }).sessions];
    const turn = worker.open('a').controller.runTurn(obedient);
    expect((await front.cancel('a', 'from afar', { wait: 'settled' })).status).toBe('settled');
    expect((await turn).status).toBe('cancelled');
    expect(() => front.open('a')).toThrow('hosted already');
  });

  it.each<[string, StopBus['request'], object]>([
    ['is down', () => Promise.reject(new Error('down')), { status: 'unconfirmed', timedOut: false }],
    ['throws', () => { throw new Error('down'); }, { status: 'unconfirmed', timedOut: false }], // prettier-ignore
    ['is silent', () => deaf(), { status: 'unconfirmed', timedOut: true }],
    ['cannot tell the end', () => Promise.resolve({ status: 'requested', until: () => Promise.reject(new Error('lost')) }), { status: 'requested', timedOut: true }], // prettier-ignore
    ['has only asked', () => Promise.resolve({ status: 'requested' }), { status: 'requested', timedOut: true }],
    ['has only told', () => Promise.resolve({ status: 'observed' }), { status: 'observed', timedOut: true }],
    ['knows of its death', () => Promise.resolve({ status: 'runner-dead' }), { status: 'runner-dead', timedOut: false }], // prettier-ignore
    ['knows a newer host', () => Promise.resolve({ status: 'superseded' }), { status: 'superseded', timedOut: false }], // prettier-ignore
  ])('cancel by id over a bus that %s never says more than is known', async (_what, request, expected) => {
    const { sessions, clock } = registry({ bus: { host: () => ({ release: () => undefined }), request } });
    const waiting = sessions.cancel('a', 'x', { wait: 'settled', timeoutMs: 20 });
    await clock.advance(20);
    const { status, timedOut } = await waiting;
    expect({ status, timedOut }).toEqual(expected);
  });

  it('cancel by id waits for ten seconds if nobody says how long', async () => {
    const bus: StopBus = { host: () => ({ release: () => undefined }), request: deaf };
    const { sessions, clock } = registry({ bus });
    const waiting = sessions.cancel('a');
    await clock.advance(9_999);
    expect(await hasSettled(waiting)).toBe(false);
    await clock.advance(1);
    expect(await waiting).toMatchObject({ status: 'unconfirmed', timedOut: true });
  });

  it.each([
    ['requested', 'pending', false],
    ['observed', 'pending', true],
    ['observed', 'requested', true],
    ['observed', 'observed', false],
    ['settled', 'settled', false],
  ] as const)('cancel by id asked to wait for %s, and told %s', async (wait, status, timedOut) => {
    const bus: StopBus = { host: () => ({ release: () => undefined }), request: () => Promise.resolve({ status }) };
    expect(await registry({ bus }).sessions.cancel('a', 'x', { wait })).toMatchObject({ status, timedOut });
  });

  it('cancel by id waits for its time and no longer, however it is divided between the bus and the work', async () => {
    const answer = deferred<Awaited<ReturnType<StopBus['request']>>>();
    const bus: StopBus = { host: () => ({ release: () => undefined }), request: () => answer.promise };
    const { sessions, clock } = registry({ bus });
    const waiting = sessions.cancel('a', 'x', { wait: 'settled', timeoutMs: 50 });
    await clock.advance(40);
    answer.resolve({ status: 'observed', until: () => deaf() });
    await clock.advance(10);
    expect(await hasSettled(waiting)).toBe(true);
    expect(await waiting).toMatchObject({ status: 'observed', timedOut: true });
  });

  it.each([
    [{ wait: 'long' }],
    [{ timeoutMs: -1 }],
    [{ turnId: '1' }],
    [{ turnId: null }],
    [{ turnId: NaN }],
    [{ turnId: 1.5 }],
    [{ turnId: 0 }],
    [{ epoch: '1' }],
    [{ epoch: null }],
    [{ epoch: -1 }],
    [null],
    ['settled'],
    [{ waits: 'settled' }],
    [{ turn: 1 }],
  ])('cancel by id refuses %o, and stops nothing', async (options) => {
    const { sessions } = registry();
    const turn = sessions.open('a').controller.runTurn(() => tick());
    await expect(sessions.cancel('a', 'x', options as never)).rejects.toThrow(/must be|is no option/);
    expect((await turn).status).toBe('completed');
  });

  it('kill by id refuses options, which it has none of, and stops nothing', async () => {
    const { sessions } = registry();
    const turn = sessions.open('a').controller.runTurn(() => tick());
    await expect(sessions.kill('a', 'x', ...([{ turnId: 1 }] as unknown as []))).rejects.toThrow(
      'options must be left out: a kill is of everything, got an instance of Object',
    );
    expect((await turn).status).toBe('completed');
  });
});

/** Background work of a session, and the token it was given. */
function job(controller: InterruptController, name = 'job') {
  const end = deferred();
  let given: CancellationToken | undefined;
  const work = controller.background(name, ({ token }) => {
    given = token;
    return raceCancellation(token, end.promise);
  });
  return { ...work, token: given as CancellationToken, end: () => end.resolve() };
}

describe('cancelAll', () => {
  it('cancelAll stops all that has started, and nothing that starts later in the same tick', async () => {
    const { sessions } = registry();
    const turns = ['a', 'b'].map((id) => sessions.open(id).controller.runTurn(obedient));
    const before = job(sessions.open('a').controller);
    const all = sessions.cancelAll({ kind: 'disconnect' });
    const after = job(sessions.open('a').controller);
    const next = sessions.open('c').controller.runTurn(() => 'new');
    expect([before.token.isCancelled, after.token.isCancelled]).toEqual([true, false]);
    expect((await all).map(({ reason }) => reason?.kind)).toEqual(['disconnect', 'disconnect']);
    expect((await Promise.all(turns)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect((await next).unwrap()).toBe('new');
    after.cancel();
  });
});

describe('drain', () => {
  it('S33 drain starts nothing new, lets run what is quick, and stops the rest with kind shutdown', async () => {
    const { sessions, clock } = registry();
    const quick = job(sessions.open('quick').controller);
    sessions.open('idle');
    const slow = sessions.open('slow');
    const turn = slow.controller.runTurn(obedient);
    await tick();
    const draining = sessions.drain({ timeoutMs: 500 });
    expect(() => sessions.open('new')).toThrow('drains');
    const never = vi.fn();
    const late = [slow.controller.background('job', never).outcome, sessions.open('idle').controller.runTurn(never)];
    const shutdown = { status: 'cancelled', reason: { kind: 'shutdown' } };
    expect([await Promise.all(late), never.mock.calls]).toMatchObject([[shutdown, shutdown], []]);
    await clock.advance(200);
    quick.end();
    await clock.advance(299);
    expect(await hasSettled(draining)).toBe(false);
    await clock.advance(1);
    const { finished, stopped } = await draining;
    expect(finished).toEqual(['quick', 'idle']);
    expect(stopped).toMatchObject([{ sessionId: 'slow', report: { reason: { kind: 'shutdown' } } }]);
    expect((await turn).status).toBe('cancelled');
    expect(clock.pending).toBe(0);
  });

  it('S33 drain lets detached work end as well, and says which it had to stop', async () => {
    const { sessions, clock } = registry();
    const background = (id: string): InterruptController =>
      sessions.open(id).controller.child('bg', { detached: true });
    const [ends, goesOn] = [background('ends'), background('goes on')];
    const gate = deferred();
    const turns = [ends.runTurn(() => gate.promise), goesOn.runTurn(obedient)];
    await tick();
    const draining = sessions.drain({ timeoutMs: 500 });
    await clock.advance(499);
    gate.resolve();
    await tick();
    expect([ends.state, goesOn.state, await hasSettled(draining)]).toEqual(['idle', 'running', false]);
    await clock.advance(1);
    const { finished, stopped } = await draining;
    expect([finished, stopped.map(({ sessionId }) => sessionId)]).toEqual([['ends'], ['goes on']]);
    expect(stopped[0]?.report.reason?.kind).toBe('shutdown');
    expect((await Promise.all(turns)).map(({ status }) => status)).toEqual(['completed', 'cancelled']);
  });

  it('S33 drain lets background work end as well, and says which it had to stop', async () => {
    const { sessions, clock } = registry();
    const gate = deferred();
    const ends = sessions.open('ends').controller.background('job', () => gate.promise);
    const goesOn = sessions.open('goes on').controller.background('job', obedient);
    const draining = sessions.drain({ timeoutMs: 500 });
    await clock.advance(499);
    gate.resolve();
    await tick();
    expect(await hasSettled(draining)).toBe(false);
    await clock.advance(1);
    const { finished, stopped } = await draining;
    expect([finished, stopped.map(({ sessionId }) => sessionId)]).toEqual([['ends'], ['goes on']]);
    expect([(await ends.outcome).status, (await goesOn.outcome).status]).toEqual(['completed', 'cancelled']);
  });

  it('S33 drain is over as soon as background work has ended', async () => {
    const { sessions, clock } = registry();
    const gate = deferred();
    sessions.open('a').controller.background('job', () => gate.promise);
    const draining = sessions.drain({ timeoutMs: 500 });
    await clock.advance(100);
    expect(await hasSettled(draining)).toBe(false);
    gate.resolve();
    expect(await draining).toEqual({ finished: ['a'], stopped: [] });
  });

  it('S33 drain waits for what a turn starts beside itself while the drain is on', async () => {
    const { sessions, clock } = registry();
    const { controller } = sessions.open('a');
    const [goOn, end] = [deferred(), deferred()];
    const turn = controller.runTurn(async () => {
      await goOn.promise;
      void controller.child('bg', { detached: true }).runTurn(() => end.promise);
    });
    const draining = sessions.drain({ timeoutMs: 500 });
    goOn.resolve();
    expect((await turn).status).toBe('completed');
    await clock.advance(100);
    expect(await hasSettled(draining)).toBe(false);
    end.resolve();
    expect(await draining).toEqual({ finished: ['a'], stopped: [] });
  });

  it('S33 a token hurries a drain: its cancel ends the waiting, its kill every grace', async () => {
    const { sessions, clock } = registry();
    const hurry = new CancellationTokenSource();
    const obeys = sessions.open('obeys').controller.runTurn(obedient);
    const deaf = sessions.open('deaf', { graceMs: 60_000 }).controller.runTurn(() => new Promise(() => undefined));
    const draining = sessions.drain({ timeoutMs: Infinity, token: hurry.token });
    await clock.advance(5_000);
    expect(await hasSettled(obeys)).toBe(false);
    hurry.cancel();
    await clock.advance(5_000);
    expect([(await obeys).status, await hasSettled(draining)]).toEqual(['cancelled', false]);
    hurry.kill();
    await clock.advance(0);
    expect((await deaf).status).toBe('cancelled');
    expect((await draining).stopped.map(({ sessionId }) => sessionId)).toEqual(['obeys', 'deaf']);
    expect(clock.pending).toBe(0);
  });

  it('a drain that is over leaves nothing on the token that could have hurried it', async () => {
    const { sessions } = registry();
    const hurry = new AbortController();
    sessions.open('a');
    await sessions.drain({ timeoutMs: 1000, token: hurry.signal });
    expect(getEventListeners(hurry.signal, 'abort')).toEqual([]);
    await expect(sessions.drain({ timeoutMs: 0, token: 'now' as never })).rejects.toThrow(TypeError);
  });

  it('drain is over at once when nothing runs, and needs a time', async () => {
    const { sessions } = registry();
    sessions.open('a');
    expect(await sessions.drain({ timeoutMs: 60_000 })).toEqual({ finished: ['a'], stopped: [] });
    await expect(sessions.drain({ timeoutMs: -1 })).rejects.toThrow(RangeError);
    for (const none of [undefined, null, 1_000]) {
      await expect(sessions.drain(none as never)).rejects.toThrow('options must be an object, got ');
    }
    await expect(sessions.close('a', 'x', null as never)).rejects.toThrow('options must be an object, got null');
  });
});

describe('close', () => {
  it('close stops one session for good, and frees its id', async () => {
    const { sessions } = registry();
    const a = sessions.open('a');
    const work = job(a.controller);
    const turn = a.controller.runTurn(obedient);
    const report = await sessions.close('a');
    expect(report?.reason?.kind).toBe('shutdown');
    expect([(await turn).status, work.token.isCancelled]).toEqual(['cancelled', true]);
    expect(() => a.controller.background('job', () => 1)).toThrow('is closed');
    expect(await sessions.close('a')).toBeUndefined();
    expect(sessions.open('a')).not.toBe(a);
  });
});

describe('a look by id', () => {
  it('a look by id says what the bus knows, and without one that can look what is known here', async () => {
    const { sessions } = registry();
    sessions.open('a');
    expect(await sessions.look('a')).toEqual({ sessionId: 'a', state: 'open' });
    const { host, request } = inProcessStopBus();
    const blind = registry({ bus: { host: host.bind(inProcessStopBus()), request } }).sessions;
    blind.open('a');
    expect([(await blind.look('a')).state, (await blind.look('b')).state]).toEqual(['open', 'unknown']);
    await expect(sessions.look('')).rejects.toThrow('id must be a string');
    await expect(sessions.cancel('')).rejects.toThrow('id must be a string');
  });
});

describe('cancel by group', () => {
  it('cancel by group stops the sessions that were opened with it, and no other, nor one that is opened later', async () => {
    const { sessions } = registry();
    const open = (id: string, groups: readonly string[]) => sessions.open(id, { groups }).controller.runTurn(obedient);
    const turns = [open('a', ['tenant:acme', 'user:7']), open('b', ['tenant:acme']), open('c', ['tenant:other'])];
    const { receipts, ...rest } = await sessions.cancelGroup(
      'tenant:acme',
      { kind: 'user', by: 'ops' },
      { wait: 'settled' },
    );
    expect(rest).toEqual({ group: 'tenant:acme', isComplete: true });
    expect(receipts.map(({ sessionId, status, reason }) => [sessionId, status, reason.by])).toEqual([
      ['a', 'settled', 'ops'],
      ['b', 'settled', 'ops'],
    ]);
    const later = sessions.open('d', { groups: ['tenant:acme'] }).controller;
    expect([(await turns[0])?.status, (await turns[1])?.status, later.state]).toEqual([
      'cancelled',
      'cancelled',
      'idle',
    ]);
    expect(sessions.open('c').controller.state).toBe('running');
    await sessions.close('c');
    await turns[2];
  });

  it('cancel by group refuses what is no group, and what is said of one session only', async () => {
    const { sessions } = registry();
    expect(() => sessions.open('a', { groups: ['\u202egroup'] })).toThrow('group must hold nothing invisible');
    expect(() => sessions.open('a', { groups: 'acme' as never })).toThrow('groups must be a list');
    await expect(sessions.cancelGroup('')).rejects.toThrow('group must be a string');
    await expect(sessions.cancelGroup('g', 'enough', { turnId: 1 } as never)).rejects.toThrow(/turnId/);
    await expect(sessions.cancelGroup('g', 'enough', { wait: 'done' as never })).rejects.toThrow('wait must be');
    const bus: StopBus = {
      host: () => ({ release: () => undefined }),
      request: () => Promise.resolve({ status: 'pending' }),
    };
    await expect(registry({ bus }).sessions.cancelGroup('g')).rejects.toThrow('the bus keeps no groups');
  });
});

describe('options in the place of a reason', () => {
  it('options in the place of a reason are refused, and nothing is stopped', async () => {
    const sessions = new SessionRegistry();
    const { controller } = sessions.open('chat', { groups: ['g'] });
    const turn = controller.runTurn(({ token }) => token.whenCancelled());
    await expect(sessions.cancel('chat', { wait: 'settled' } as never)).rejects.toThrow('reason.wait is an option');
    await expect(sessions.cancel('chat', { turnId: 1 } as never)).rejects.toThrow(TypeError);
    await expect(sessions.cancelGroup('g', { level: 'kill' } as never)).rejects.toThrow('reason.level is an option');
    await expect(sessions.close('chat', { willRetry: true } as never)).rejects.toThrow('reason.willRetry is an option');
    expect(controller.state).toBe('running');
    const { errors } = await withReported(async () =>
      sessions.close('chat', { kind: 'user', wait: 'settled' } as never),
    );
    expect((await turn).status).toBe('cancelled');
    expect(errors).toMatchObject([{ message: expect.stringMatching(/^reason\.wait is no option/) }]);
  });
});
