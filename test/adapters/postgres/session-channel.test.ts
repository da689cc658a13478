import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';

import { SessionChannel } from '../../../src/adapters/postgres/session-channel.ts';
import type { PostgresSession } from '../../../src/adapters/postgres/client.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

/** Sessions of an engine that is there or not, and passes notifications on or not. */
function engine({ isDeaf = false } = {}) {
  const clock = new VirtualClock();
  const sessions: { events: EventEmitter; isEnded: boolean }[] = [];
  const state = { isAway: false, isDeaf };
  const told: string[] = [];
  const open = (): PostgresSession => {
    const session = { events: new EventEmitter(), isEnded: false };
    sessions.push(session);
    return {
      connect: () => (state.isAway ? Promise.reject(new Error('away')) : Promise.resolve()),
      query: ({ text }) => Promise.resolve({ rows: [text] }),
      end: () => {
        session.isEnded = true;
        return Promise.resolve();
      },
      on: (event: string, listener: (...args: never[]) => void) => session.events.on(event, listener as never),
    };
  };
  /** Over another connection, as everybody else does it. */
  const notify = (channel: string, payload: string): Promise<unknown> => {
    if (!state.isDeaf) sessions.at(-1)?.events.emit('notification', { channel, payload });
    return state.isAway ? Promise.reject(new Error('away')) : Promise.resolve();
  };
  const channel = new SessionChannel({
    ...{ open, channel: 'c', clock, notify, longestRetryMs: 5_000 },
    message: (payload) => told.push(payload),
    resync: () => told.push('(resync)'),
    down: (error) => told.push(`(${String(error)})`),
    isDeaf: () => told.push('(deaf)'),
  });
  return { channel, clock, open, sessions, state, told };
}

describe('a session channel', () => {
  it('a session channel over a client that throws at once, or gives no promise, works and ends', async () => {
    const { channel, clock, open } = engine();
    channel.close();
    const boom = (): never => {
      throw new Error('odd');
    };
    const told: string[] = [];
    const odd = new SessionChannel({
      ...{ channel: 'c', clock, message: () => undefined, resync: () => told.push('resync') },
      ...{ down: (error: unknown) => told.push(String(error)), isDeaf: () => told.push('deaf') },
      ...{ notify: boom, longestRetryMs: 5_000 },
      open: () => ({
        ...open(),
        query: () => undefined as never,
        end: boom,
        connection: { stream: { destroy: boom } },
      }),
    });
    await odd.listening();
    await clock.advance(0);
    odd.reset();
    await odd.listening();
    odd.cut();
    await clock.advance(10_000);
    expect(told).toEqual(['resync']);
    expect(clock.pending).toBe(0);
  });

  it('a session channel listens, passes on what it hears, and finds out that it hears', async () => {
    const { channel, clock, sessions, told } = engine();
    await channel.listening();
    sessions[0]?.events.emit('notification', { channel: 'c', payload: 'x' });
    await clock.advance(10_000);
    expect(told).toEqual(['x']);
    expect((await channel.query({ text: 'select 1' })).rows).toEqual(['select 1']);
    channel.close();
    await clock.advance(0);
    expect([sessions.length, sessions[0]?.isEnded, clock.pending]).toEqual([1, true, 0]);
  });

  it('a session channel says once that notifications do not come through', async () => {
    const { channel, clock, told } = engine({ isDeaf: true });
    await channel.listening();
    await clock.advance(1_999);
    expect(told).toEqual([]);
    await clock.advance(60_000);
    expect(told).toEqual(['(deaf)']);
    channel.reset();
    await clock.advance(60_000);
    expect(told).toEqual(['(deaf)', '(resync)']);
    channel.close();
  });

  it('a session channel that loses its connection makes another one, later and later, and says what may be missed', async () => {
    const { channel, clock, sessions, state, told } = engine();
    await channel.listening();
    state.isAway = true;
    sessions[0]?.events.emit('error', new Error('cut'));
    sessions[0]?.events.emit('end');
    await clock.advance(100 + 200 + 400);
    expect([sessions.length, told]).toEqual([4, ['(Error: cut)', '(Error: away)', '(Error: away)', '(Error: away)']]);
    await expect(channel.query({ text: 'select 1' })).rejects.toThrow('away');
    state.isAway = false;
    await clock.advance(60_000);
    expect([sessions.length, told.at(-1)]).toEqual([5, '(resync)']);
    sessions[0]?.events.emit('notification', { channel: 'c', payload: 'old' });
    expect(told.at(-1)).toBe('(resync)');
    channel.close();
    channel.reset();
    await clock.advance(0);
    expect([sessions.length, clock.pending]).toEqual([5, 0]);
  });

  it.each([
    ['does not end', () => new Promise<void>(() => undefined), 1],
    ['ends', () => Promise.resolve(), 0],
    ['cannot even end', () => Promise.reject(new Error('away')), 0],
  ])('a session channel cuts the socket of a session that %s in a second, if it must', async (_, end, cuts) => {
    const clock = new VirtualClock();
    const { open } = engine();
    let cut = 0;
    const stream = { destroy: () => (cut += 1) };
    const channel = new SessionChannel({
      ...{ channel: 'c', clock, message: () => undefined, resync: () => undefined, down: () => undefined },
      open: () => ({ ...open(), end, connection: { stream } }),
      ...{ isDeaf: () => undefined, notify: () => Promise.reject(new Error('away')), longestRetryMs: 5_000 },
    });
    await channel.listening();
    channel.close();
    await clock.advance(999);
    expect(cut).toBe(0);
    await clock.advance(1);
    expect([cut, clock.pending]).toEqual([cuts, 0]);
  });

  it('a session channel that is cut waits for no goodbye, also when it was closed before', async () => {
    const clock = new VirtualClock();
    const { open } = engine();
    let [ends, cuts] = [0, 0];
    const stream = { destroy: () => (cuts += 1) };
    const end = () => {
      ends += 1;
      return new Promise<void>(() => undefined);
    };
    const channel = new SessionChannel({
      ...{ channel: 'c', clock, message: () => undefined, resync: () => undefined, down: () => undefined },
      open: () => ({ ...open(), end, connection: { stream } }),
      ...{ isDeaf: () => undefined, notify: () => Promise.reject(new Error('away')), longestRetryMs: 5_000 },
    });
    await channel.listening();
    channel.close();
    expect([ends, cuts]).toEqual([1, 0]);
    channel.cut();
    expect([ends, cuts]).toEqual([1, 1]);
    await clock.advance(1_000);
    expect(clock.pending).toBe(0);
  });

  it('a session channel is deaf only if what was sent by another connection does not come, each time it is made anew', async () => {
    const { channel, clock, state, told } = engine();
    await channel.listening();
    await clock.advance(60_000);
    expect(told).toEqual([]);
    state.isDeaf = true;
    channel.reset();
    await clock.advance(60_000);
    expect(told).toEqual(['(resync)', '(deaf)']);
    state.isDeaf = false;
    channel.reset();
    await clock.advance(60_000);
    state.isDeaf = true;
    channel.reset();
    await clock.advance(60_000);
    expect(told.filter((said) => said === '(deaf)')).toHaveLength(2);
    channel.close();
  });

  it.each([
    [5_000, 1_000],
    [300, 300],
  ])(
    'a session channel of which an answer is due in %d ms seeks its engine every %d ms at least',
    async (longestRetryMs, everyMs) => {
      const clock = new VirtualClock();
      let tries = 0;
      const channel = new SessionChannel({
        open: () => {
          tries++;
          throw new Error('away');
        },
        ...{ channel: 'c', clock, message: () => undefined, isDeaf: () => undefined, resync: () => undefined },
        ...{ down: () => undefined, notify: () => Promise.resolve(), longestRetryMs },
      });
      channel.listening().catch(() => undefined);
      await clock.advance(60_000);
      const before = tries;
      await clock.advance(everyMs * 10);
      expect(tries - before).toBe(10);
      channel.close();
    },
  );

  it('a session channel whose session cannot be made says so, and tries again', async () => {
    const clock = new VirtualClock();
    const told: string[] = [];
    let tries = 0;
    const { open } = engine();
    const channel = new SessionChannel({
      open: () => {
        if (++tries < 3) throw new Error('no password');
        return open();
      },
      ...{ channel: 'c', clock, message: () => undefined, isDeaf: () => undefined },
      ...{ notify: () => Promise.reject(new Error('away')), longestRetryMs: 5_000 },
      resync: () => told.push('(resync)'),
      down: (error) => told.push(String(error)),
    });
    await expect(channel.listening()).rejects.toThrow('no password');
    await clock.advance(300);
    expect([tries, told]).toEqual([3, ['Error: no password', 'Error: no password', '(resync)']]);
    channel.close();
  });

  it('a session channel that is made anew drops the old connection without waiting for it', async () => {
    const { channel, clock, sessions, told } = engine();
    await channel.listening();
    channel.reset();
    await channel.listening();
    await clock.advance(0);
    expect([sessions.length, sessions[0]?.isEnded, told]).toEqual([2, true, ['(resync)']]);
    sessions[0]?.events.emit('end');
    await clock.advance(10_000);
    expect([sessions.length, told.length]).toEqual([2, 1]);
    channel.close();
  });
});
