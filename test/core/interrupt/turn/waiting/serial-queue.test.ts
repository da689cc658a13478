import { describe, expect, it } from 'vitest';

import { SerialQueue } from '../../../../../src/core/interrupt/turn/waiting/serial-queue.ts';
import { delay, type RunTurnOptions } from '../../../../../src/index.ts';
import { deferred } from '../../../../../src/testing/fakes.ts';
import { call, deaf, errorOf, obedient, stage, tick } from '../../kit.ts';

describe('whenBusy: reject', () => {
  it('is the default, and misuse', async () => {
    const { agent, said } = stage();
    const running = agent.runTurn(obedient);
    for (const options of [undefined, {}, { whenBusy: 'reject' }] as (RunTurnOptions | undefined)[]) {
      expect(await errorOf(agent.runTurn(() => 1, options))).toBeInstanceOf(TypeError);
    }
    expect(said().filter((line) => line.endsWith('accepted'))).toHaveLength(1);
    agent.cancel();
    expect((await running).status).toBe('cancelled');
  });

  it('refuses also while one waits in line', async () => {
    const { agent } = stage();
    const end = deferred();
    const first = agent.runTurn(() => end.promise);
    const second = agent.runTurn(obedient, { whenBusy: 'queue' });
    expect(await errorOf(agent.runTurn(() => 3))).toBeInstanceOf(TypeError);
    end.resolve();
    await first;
    expect(await errorOf(agent.runTurn(() => 3))).toBeInstanceOf(TypeError);
    agent.cancel();
    await second;
  });

  it('says no more once the turn has ended', async () => {
    const { agent } = stage();
    for (let i = 1; i <= 3; i += 1) expect((await agent.runTurn(({ id }) => id)).unwrap()).toBe(i);
  });
});

describe('whenBusy: queue', () => {
  it('runs what waits also where what ran before was refused, and is empty then', async () => {
    const queue = new SerialQueue();
    const refused = queue.add(() => Promise.reject(new Error('refused')));
    const next = queue.add(() => Promise.resolve('next'));
    await expect(refused).rejects.toThrow('refused');
    expect(await next).toBe('next');
    await queue.whenEmpty();
    expect(queue.isWaiting).toBe(false);
  });

  it('runs one turn at a time, in the order in which they came', async () => {
    const { agent } = stage();
    const log: string[] = [];
    let inside = 0;
    const turns = Array.from({ length: 5 }, () =>
      agent.runTurn(
        async ({ id }) => {
          inside += 1;
          log.push(`${String(id)}:${String(inside)}`);
          await tick();
          inside -= 1;
          if (id === 2) throw new Error('does not matter to the next');
        },
        { whenBusy: 'queue' },
      ),
    );
    const reports = await Promise.all(turns);
    expect(log).toEqual(['1:1', '2:1', '3:1', '4:1', '5:1']);
    expect(reports.map(({ status }) => status)).toEqual(['completed', 'failed', 'completed', 'completed', 'completed']);
  });

  it('accepts at the call and starts when the turn before has ended', async () => {
    const { agent, events } = stage();
    const end = deferred();
    const first = agent.runTurn(() => end.promise);
    const second = agent.runTurn(() => 2, { whenBusy: 'queue' });
    await tick();
    const order = (): string[] =>
      events.map((event) => `${event.type} ${'turnId' in event ? String(event.turnId) : ''}`);
    expect(order()).toEqual(['turn-accepted 1', 'turn-started 1', 'turn-accepted 2']);
    end.resolve();
    await Promise.all([first, second]);
    expect(order().slice(3)).toEqual(['turn-ended 1', 'turn-started 2', 'turn-ended 2']);
  });

  it('does not start before the stopped turn has unwound', async () => {
    const { agent, clock } = stage({ graceMs: 300 });
    const ticket = agent.accept();
    const first = agent.runTurn(({ tool }) => tool(call('deaf'), deaf), { ticket });
    await tick();
    ticket.cancel();
    let started = false;
    const second = agent.runTurn(() => (started = true), { whenBusy: 'queue' });
    await clock.advance(299);
    expect(started).toBe(false);
    await clock.advance(1_000);
    expect([(await first).status, (await second).status, started]).toEqual(['cancelled', 'completed', true]);
  });
});

describe('whenBusy: supersede', () => {
  it('cancels the running turn with kind superseded, waits for it, and runs', async () => {
    const { agent, clock } = stage({ graceMs: 300 });
    const log: string[] = [];
    const first = agent.runTurn(async ({ tool }) => {
      await tool(call('deaf'), deaf);
      log.push('first unwound');
    });
    await tick();
    const second = agent.runTurn(() => void log.push('second'), { whenBusy: 'supersede' });
    expect(agent.interruption?.reason.kind).toBe('superseded');
    await clock.advance(1_000);
    expect(await first).toMatchObject({ status: 'cancelled', reason: { kind: 'superseded' } });
    expect((await second).status).toBe('completed');
    expect(log).toEqual(['first unwound', 'second']);
  });

  it('runs at once if nothing runs', async () => {
    const { agent } = stage();
    expect((await agent.runTurn(() => 1, { whenBusy: 'supersede' })).status).toBe('completed');
    expect(agent.wasInterrupted).toBe(false);
  });

  it('does not touch the reason of a turn that was stopped before', async () => {
    const { agent } = stage();
    const first = agent.runTurn(obedient);
    agent.cancel({ message: 'by hand' });
    const second = agent.runTurn(() => 2, { whenBusy: 'supersede' });
    expect(await first).toMatchObject({ reason: { kind: 'user', message: 'by hand' } });
    expect((await second).status).toBe('completed');
  });

  it('is announced once, however many turns it ends', async () => {
    const { agent, events } = stage();
    const running = agent.runTurn(obedient);
    const waiting = [1, 2].map(() => agent.runTurn(() => 'ran', { whenBusy: 'queue' }));
    const newest = agent.runTurn(() => 'newest', { whenBusy: 'supersede' });
    const superseded = { status: 'cancelled', reason: { kind: 'superseded' } };
    expect(await Promise.all([running, ...waiting])).toMatchObject([superseded, superseded, superseded]);
    expect((await newest).unwrap()).toBe('newest');
    const said = events.filter(({ type }) => type === 'interrupt-requested');
    expect(said).toMatchObject([{ kind: 'cancel', reason: { kind: 'superseded' } }]);
  });

  it.each(['was used before', 'was stopped before'])('drops nothing for a turn whose ticket %s', async (what) => {
    const { agent } = stage();
    const [used, stopped] = [agent.accept(), agent.accept()];
    stopped.cancel();
    const end = deferred<string>();
    const running = agent.runTurn(() => end.promise, { ticket: used });
    const waiting = agent.runTurn(() => 'waited', { whenBusy: 'queue' });
    const ticket = what === 'was used before' ? used : stopped;
    const next = agent.runTurn(() => 'next', { whenBusy: 'supersede', ticket }).catch((error: unknown) => error);
    end.resolve('ran');
    expect((await Promise.all([running, waiting])).map((report) => report.unwrap())).toEqual(['ran', 'waited']);
    if (ticket === used) expect(await next).toBeInstanceOf(TypeError);
    else expect(await next).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
  });

  it('the newest counts: one that waits is superseded as well, and so is told', async () => {
    const { agent, clock, events } = stage();
    const ran: number[] = [];
    const turns = [1, 2, 3].map(() =>
      agent.runTurn(
        async ({ id, token }) => {
          ran.push(id);
          await delay(token, 10);
        },
        { whenBusy: 'supersede' },
      ),
    );
    await clock.advance(10);
    const reports = await Promise.all(turns);
    expect(reports.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'completed']);
    expect(ran).toEqual([1, 3]);
    const kinds = events.flatMap((event) => (event.type === 'interrupt-requested' ? [event.reason.kind] : []));
    expect(kinds).toEqual(['superseded', 'superseded']);
  });
});

describe('a turn that asks for the next one in its first lines', () => {
  it('does not run beside it, and can be stopped', async () => {
    const { agent } = stage();
    const order: string[] = [];
    let next: Promise<unknown> | undefined;
    const turn = agent.runTurn(async (own) => {
      order.push('first');
      next = agent.runTurn(() => order.push('next'), { whenBusy: 'supersede' });
      await obedient(own);
    });
    await tick();
    expect([agent.state, order]).toEqual(['idle', ['first', 'next']]);
    agent.cancel();
    expect((await turn).status).toBe('cancelled');
    await next;
  });

  it('nor does one that a listener asks for', async () => {
    const { agent } = stage();
    const order: string[] = [];
    let next: Promise<unknown> | undefined;
    agent.onEvent(({ type }) => {
      if (type === 'turn-started') next ??= agent.runTurn(() => order.push('next'), { whenBusy: 'queue' });
    });
    await agent.runTurn(() => order.push('first'));
    await next;
    expect(order).toEqual(['first', 'next']);
  });
});
