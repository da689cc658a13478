import { describe, expect, it } from 'vitest';

import { SessionRegistry, inProcessStopBus, type StopBus } from '../../../src/index.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { call, deaf, errorOf, hasSettled, obedient, tick } from './kit.ts';

function registry(options: { bus?: StopBus } = {}) {
  const clock = new VirtualClock();
  return { clock, sessions: new SessionRegistry({ clock, ...options }) };
}

describe('a session', () => {
  it('is opened once per id, with its controller', () => {
    const { sessions } = registry();
    const a = sessions.open('a', { name: 'main' });
    expect(sessions.open('a')).toBe(a);
    expect([a.id, a.controller.name, sessions.open('b').controller.name]).toEqual(['a', 'main', 'b']);
  });

  it.each([undefined, '', 7])('with the id %o is refused', (id) => {
    expect(() => registry().sessions.open(id as never)).toThrow('id must be a string');
  });
});

describe('cancel by id', () => {
  it('says how far it came, and waits if asked to', async () => {
    const { sessions, clock } = registry();
    const { controller } = sessions.open('a', { graceMs: 100 });
    const turn = controller.runTurn(({ tool }) => tool(call('deaf'), deaf));
    await tick();
    const asked = await sessions.cancel('a', 'enough');
    expect(asked).toMatchObject({ sessionId: 'a', phase: 'observed', timedOut: false, reason: { message: 'enough' } });
    const waiting = sessions.cancel('a', 'again', { wait: 'settled' });
    expect(await hasSettled(waiting)).toBe(false);
    await clock.advance(100);
    expect(await waiting).toMatchObject({ phase: 'settled', report: { abandoned: ['deaf'] } });
    expect((await waiting).report).toBe((await turn).stop);
  });

  it('gives up waiting when its time is up, with the last that is known', async () => {
    const { sessions, clock } = registry();
    void sessions.open('a', { graceMs: 1_000 }).controller.runTurn(deaf);
    const waiting = sessions.cancel('a', undefined, { wait: 'settled', timeoutMs: 50 });
    await clock.advance(50);
    expect(await waiting).toMatchObject({ phase: 'observed', timedOut: true });
    await clock.advance(1_000);
    expect(clock.pending).toBe(0);
  });

  it('that comes first is born into the session: its first turn, its first execution, and no other', async () => {
    const { sessions } = registry();
    expect(await sessions.cancel('a', 'early', { wait: 'settled' })).toMatchObject({
      phase: 'pending',
      timedOut: true,
    });
    const { controller, startExecution } = bound(sessions.open('a'));
    expect([startExecution().token.reason?.message, startExecution().token.isCancelled]).toEqual(['early', false]);
    let ran = 0;
    const first = await controller.runTurn(() => ran++);
    expect([first.status, ran, first.status === 'cancelled' && first.reason.message]).toEqual([
      'cancelled',
      0,
      'early',
    ]);
    expect((await controller.runTurn(() => 'fine')).unwrap()).toBe('fine');
  });

  it('of one turn touches that turn only, now, later and never again', async () => {
    const { sessions } = registry();
    await sessions.cancel('a', 'the second', { turnId: 2 });
    const { controller, startExecution } = bound(sessions.open('a'));
    expect(startExecution().token.isCancelled).toBe(false);
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await controller.runTurn(() => 1)).status);
    expect(statuses).toEqual(['completed', 'cancelled', 'completed']);
    const fourth = controller.runTurn(obedient);
    expect((await sessions.cancel('a', 'late', { turnId: 3, wait: 'settled' })).report?.reason).toBeUndefined();
    await sessions.cancel('a', 'now', { turnId: 4 });
    expect((await fourth).status).toBe('cancelled');
  });

  it('reaches the registry that hosts it, over the bus', async () => {
    const bus = inProcessStopBus();
    const [front, worker] = [registry({ bus }).sessions, registry({ bus }).sessions];
    const turn = worker.open('a').controller.runTurn(obedient);
    expect((await front.cancel('a', 'from afar', { wait: 'settled' })).phase).toBe('settled');
    expect((await turn).status).toBe('cancelled');
    expect(() => front.open('a')).toThrow('hosted already');
  });

  it.each<[string, StopBus['request'], object]>([
    ['is down', () => Promise.reject(new Error('down')), { phase: 'unconfirmed', timedOut: false }],
    ['is silent', () => deaf(), { phase: 'unconfirmed', timedOut: true }],
    ['cannot tell the end', () => Promise.resolve({ phase: 'requested', settled: Promise.reject(new Error('lost')) }), { phase: 'requested', timedOut: true }], // prettier-ignore
    ['has only asked', () => Promise.resolve({ phase: 'requested' }), { phase: 'requested', timedOut: true }],
  ])('over a bus that %s never says more than is known', async (_what, request, expected) => {
    const { sessions, clock } = registry({ bus: { host: () => ({ release: () => undefined }), request } });
    const waiting = sessions.cancel('a', 'x', { wait: 'settled', timeoutMs: 20 });
    await clock.advance(20);
    const { phase, timedOut } = await waiting;
    expect({ phase, timedOut }).toMatchObject({ phase: (expected as { phase: string }).phase });
    expect(phase).not.toBe('settled');
    if (phase === 'unconfirmed') expect(timedOut).toBe((expected as { timedOut: boolean }).timedOut);
  });

  it.each([[{ wait: 'long' }], [{ timeoutMs: -1 }]])('refuses %o', async (options) => {
    await expect(registry().sessions.cancel('a', 'x', options as never)).rejects.toThrow(/must be/);
  });
});

/** A session whose method can be taken apart in a test. */
function bound(session: ReturnType<SessionRegistry['open']>) {
  return { controller: session.controller, startExecution: () => session.startExecution() };
}

describe('cancelAll', () => {
  it('stops all that has started, and nothing that starts later in the same tick', async () => {
    const { sessions } = registry();
    const turns = ['a', 'b'].map((id) => sessions.open(id).controller.runTurn(obedient));
    const before = sessions.open('a').startExecution();
    const all = sessions.cancelAll({ kind: 'disconnect' });
    const after = sessions.open('a').startExecution();
    const next = sessions.open('c').controller.runTurn(() => 'new');
    expect([before.token.isCancelled, after.token.isCancelled]).toEqual([true, false]);
    expect((await all).map(({ reason }) => reason?.kind)).toEqual(['disconnect', 'disconnect']);
    expect((await Promise.all(turns)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect((await next).unwrap()).toBe('new');
  });
});

describe('drain', () => {
  it('S33 starts nothing new, lets run what is quick, and stops the rest with kind shutdown', async () => {
    const { sessions, clock } = registry();
    const quick = sessions.open('quick').startExecution();
    sessions.open('idle');
    const slow = sessions.open('slow');
    const turn = slow.controller.runTurn(obedient);
    await tick();
    const draining = sessions.drain({ timeoutMs: 500 });
    expect(() => sessions.open('new')).toThrow('drains');
    expect(() => slow.startExecution()).toThrow('starts nothing more');
    expect(await errorOf(slow.controller.runTurn(() => 1))).toBeInstanceOf(TypeError);
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

  it('is over at once when nothing runs, and needs a time', async () => {
    const { sessions } = registry();
    sessions.open('a');
    expect(await sessions.drain({ timeoutMs: 60_000 })).toEqual({ finished: ['a'], stopped: [] });
    await expect(sessions.drain({ timeoutMs: -1 })).rejects.toThrow(RangeError);
  });
});

describe('close', () => {
  it('stops one session for good, and frees its id', async () => {
    const { sessions } = registry();
    const a = sessions.open('a');
    const execution = a.startExecution();
    const turn = a.controller.runTurn(obedient);
    const report = await sessions.close('a');
    expect(report?.reason?.kind).toBe('shutdown');
    expect([(await turn).status, execution.token.isCancelled]).toEqual(['cancelled', true]);
    expect(() => a.startExecution()).toThrow('is closed');
    expect(await sessions.close('a')).toBeUndefined();
    expect(sessions.open('a')).not.toBe(a);
  });
});
