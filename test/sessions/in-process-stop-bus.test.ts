import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/core/foundation/reason.ts';
import type { StopReport } from '../../src/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { inProcessStopBus } from '../../src/sessions/in-process-stop-bus.ts';
import type { EarlyStop, StopRequest } from '../../src/sessions/stop-bus.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';

const reason = createReason('enough');

/** A host that notes what it is handed. */
function hosting() {
  const heard: string[] = [];
  const deliver = ({ turnId }: StopRequest, early: EarlyStop | undefined): Promise<StopReport> => {
    heard.push(`${early !== undefined ? 'early' : 'in time'} ${String(turnId)}`);
    return Promise.resolve({ turnId } as StopReport);
  };
  return { heard, host: { deliver } };
}

describe('the bus of one process', () => {
  it('the bus of one process hands a request to the host, at once', async () => {
    const bus = inProcessStopBus();
    const { heard, host } = hosting();
    bus.host('a', host);
    const answer = bus.request({ sessionId: 'a', reason, turnId: 3 });
    expect(heard).toEqual(['in time 3']);
    const { status, until } = await answer;
    expect([status, await until?.('settled', 100)]).toEqual(['observed', { status: 'settled', report: { turnId: 3 } }]);
  });

  it('the bus of one process keeps the first for each turn and the first for everything that came before their host, once, for a minute', async () => {
    const clock = new VirtualClock();
    const bus = inProcessStopBus({ clock });
    expect(await bus.request({ sessionId: 'a', reason, turnId: 1 })).toMatchObject({ status: 'pending' });
    await bus.request({ sessionId: 'a', reason, turnId: 2 });
    await bus.request({ sessionId: 'a', reason });
    await bus.request({ sessionId: 'a', reason: createReason('again'), turnId: 1 });
    await bus.request({ sessionId: 'b', reason });
    const first = hosting();
    bus.host('a', first.host).release();
    bus.host('a', first.host);
    expect(first.heard).toEqual(['early 1', 'early 2', 'early undefined']);
    await clock.advance(60_000);
    const late = hosting();
    bus.host('b', late.host);
    expect([late.heard, clock.pending]).toEqual([[], 0]);
  });

  it('the bus of one process keeps 10,000 at most, the latest', async () => {
    const bus = inProcessStopBus({ clock: new VirtualClock() });
    for (let n = 0; n <= 10_000; n++) await bus.request({ sessionId: String(n), reason });
    const { heard, host } = hosting();
    for (const id of ['0', '1', '10000']) bus.host(id, host);
    expect(heard).toEqual(['early undefined', 'early undefined']);
  });

  it('the bus of one process has one host per session, until that one ends it', () => {
    const bus = inProcessStopBus();
    const tie = bus.host('a', hosting().host);
    expect(() => bus.host('a', hosting().host)).toThrow('the session "a" is hosted already');
    tie.release();
    const next = hosting();
    bus.host('a', next.host);
    tie.release();
    void bus.request({ sessionId: 'a', reason });
    expect(next.heard).toEqual(['in time undefined']);
  });

  it('the bus of one process keeps for the next attempt what reached one that may be tried again, or comes after it', async () => {
    const bus = inProcessStopBus();
    const first = bus.host('a', hosting().host);
    await bus.request({ sessionId: 'a', reason, turnId: 1 });
    await bus.request({ sessionId: 'a', reason });
    first.release({ willRetry: true });
    const second = hosting();
    const tie = bus.host('a', second.host);
    expect(second.heard).toEqual(['early undefined']);
    tie.release({ willRetry: true });
    const third = hosting();
    bus.host('b', third.host).release({ willRetry: true });
    expect(await bus.request({ sessionId: 'b', reason })).toMatchObject({ status: 'pending' });
    bus.host('b', third.host).release();
    expect(third.heard).toEqual(['early undefined']);
    expect(await bus.request({ sessionId: 'b', reason })).toEqual({ status: 'settled' });
  });

  it('the bus of one process counts the time of a stop from when it was asked for, whatever the age of its reason', async () => {
    const clock = new VirtualClock({ startAt: 1_000_000 });
    const bus = inProcessStopBus({ clock, pendingMs: 1_000 });
    const remaining: unknown[] = [];
    const deliver = (_request: StopRequest, early: EarlyStop | undefined): Promise<StopReport> => {
      remaining.push(early?.remainingMs);
      return Promise.resolve({} as StopReport);
    };
    await bus.request({ sessionId: 'a', reason: createReason({ kind: 'user', at: 5 }) });
    await clock.advance(400);
    bus.host('a', { deliver }).release({ willRetry: true });
    bus.host('a', { deliver });
    expect(remaining).toEqual([600, 1_000]);
  });

  it.each([
    ['opened', false, { status: 'settled', timedOut: false, reason: { message: 'ada' } }],
    ['opened, wanted again', true, { status: 'superseded', timedOut: false }],
    ['opened too late', undefined, { status: 'pending', timedOut: true, reason: { message: 'ada' } }],
  ])('the bus of one process waits with the askers for a session that is %s', async (_what, again, expected) => {
    const clock = new VirtualClock();
    const sessions = new SessionRegistry({ clock });
    const wait = { wait: 'settled', timeoutMs: 5_000 } as const;
    const asked = ['ada', 'bob'].map((message) => sessions.cancel('chat', { kind: 'user', message }, wait));
    await clock.advance(again === undefined ? 5_000 : 300);
    const session = sessions.open('chat', { again });
    const ran = session.controller.runTurn(() => 'ran');
    expect((await ran).status).toBe(again === true ? 'completed' : 'cancelled');
    for (const receipt of await Promise.all(asked)) expect(receipt).toMatchObject(expected);
    expect(clock.now()).toBe(again === undefined ? 5_000 : 300);
    await sessions.drain({ timeoutMs: 0 });
    expect(clock.pending).toBe(0);
  });

  it('the bus of one process answers who asks for a stop between two attempts when the next one has heard it', async () => {
    const clock = new VirtualClock();
    const sessions = new SessionRegistry({ clock });
    const first = sessions.cancel('job', 'enough', { wait: 'settled' });
    const begun = sessions.open('job').controller.runTurn(() => 'ran');
    expect([(await begun).status, (await first).status]).toEqual(['cancelled', 'settled']);
    await sessions.close('job', undefined, { willRetry: true });
    const asked = { status: 'waiting' };
    const second = sessions.cancel('job', 'enough', { wait: 'settled' }).then(({ status }) => (asked.status = status));
    await clock.advance(10);
    expect(asked.status).toBe('waiting');
    await sessions.open('job').controller.runTurn(() => 'ran');
    expect(await second).toBe('settled');
  });

  it('the bus of one process shows who hosts a session and how far the last stop came', async () => {
    const clock = new VirtualClock();
    const bus = inProcessStopBus({ clock, pendingMs: 100 });
    const look = () => bus.look?.('a');
    expect(await look()).toEqual({ sessionId: 'a', state: 'absent' });
    await bus.request({ sessionId: 'a', reason });
    expect(await look()).toEqual({ sessionId: 'a', state: 'absent', stop: { status: 'pending', reason } });
    let end = (_report: StopReport): void => undefined;
    const tie = bus.host('a', { deliver: () => new Promise((resolve) => (end = resolve)) });
    expect(await look()).toEqual({ sessionId: 'a', state: 'open', stop: { status: 'observed', reason } });
    end({} as StopReport);
    await clock.advance(0);
    expect(await look()).toEqual({ sessionId: 'a', state: 'open', stop: { status: 'settled', reason } });
    tie.release();
    expect(await look()).toEqual({ sessionId: 'a', state: 'closed' });
    await clock.advance(100);
    expect(await look()).toEqual({ sessionId: 'a', state: 'absent' });
  });

  it('the bus of one process stops who is in a group, or waits to be tried again in it, and nobody else', async () => {
    const bus = inProcessStopBus();
    const [one, two, other, retried, ended] = [hosting(), hosting(), hosting(), hosting(), hosting()];
    bus.host('one', one.host, { groups: ['tenant:acme', 'user:7'] });
    bus.host('two', two.host, { groups: ['tenant:acme'] });
    bus.host('other', other.host, { groups: ['tenant:other'] });
    bus.host('retried', retried.host, { groups: ['tenant:acme'] }).release({ willRetry: true });
    bus.host('ended', ended.host, { groups: ['tenant:acme'] }).release();
    const asked = await bus.requestGroup?.('tenant:acme', { reason });
    const statuses = await Promise.all((asked?.stops ?? []).map(async ({ sessionId, progress }) => [sessionId, (await progress).status])); // prettier-ignore
    expect([asked?.isComplete, statuses]).toEqual([
      true,
      [['one', 'observed'], ['two', 'observed'], ['retried', 'pending']],
    ]); // prettier-ignore
    bus.host('later', ended.host, { groups: ['tenant:acme'] });
    bus.host('retried', retried.host);
    expect([one, two, other, retried, ended].map(({ heard }) => heard.join())).toEqual([
      ...['in time undefined', 'in time undefined', '', 'early undefined', ''],
    ]);
    expect(await bus.requestGroup?.('nobody', { reason })).toEqual({ isComplete: true, stops: [] });
  });

  it('a bus in one process is refused options that it has not', () => {
    expect(() => inProcessStopBus({ pendingMS: 1 } as never)).toThrow('options.pendingMS is no option');
  });
});
