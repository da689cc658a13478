import { afterEach, describe, expect, it } from 'vitest';

import { ServerKeeper } from '../../../src/adapters/mcp/server-keeper.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { FakeClient, never } from './fake-client.ts';

const clock = new VirtualClock();

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

describe('close while connecting', () => {
  it('tells connect, and stops what connects all the same', async () => {
    const connected = deferred<FakeClient>();
    let signal: AbortSignal | undefined;
    const stops: string[] = [];
    const server = new ServerKeeper<FakeClient>(
      (context) => {
        ({ signal } = context);
        return connected.promise;
      },
      { clock, graceMs: 100, onServerStopped: ({ why }) => stops.push(why) },
    );
    const call = expect(server.request(null, () => 'never')).rejects.toThrow('The client is closed');
    await clock.advance(0);
    const closed = server.close();
    expect(signal?.aborted).toBe(true);
    const client = new FakeClient();
    connected.resolve(client);
    await closed;
    await call;
    expect([client.transport, stops]).toEqual([undefined, ['closed']]);
  });

  it('does not wait for ever', async () => {
    const connected = deferred<FakeClient>();
    const server = new ServerKeeper<FakeClient>(() => connected.promise, { clock, graceMs: 100 });
    const person = new CancellationTokenSource({ clock });
    const call = expect(server.request(person.token, () => 'never')).rejects.toMatchObject({ name: 'AbortError' });
    await clock.advance(0);
    person.cancel('user');
    await call;
    const closed = server.close();
    await clock.advance(100);
    await closed;
    connected.resolve(new FakeClient());
    await clock.advance(100);
  });
});

describe('one stop of a server', () => {
  function keeperOf(client: FakeClient, afterCancel?: 'stop') {
    const stops: string[] = [];
    const onServerStopped = ({ why }: { why: string }) => stops.push(why);
    const server = new ServerKeeper<FakeClient>(() => client, { clock, graceMs: 100, afterCancel, onServerStopped });
    return { server, stops };
  }

  it('is told once, however often it is closed', async () => {
    const client = new FakeClient();
    let closes = 0;
    client.close = () => {
      closes += 1;
      return Promise.resolve();
    };
    const { server, stops } = keeperOf(client);
    await server.request(null, () => 'one');
    await Promise.all([server.close(), server.close()]);
    await server.close();
    expect([stops, closes]).toEqual([['closed'], 1]);
  });

  it('is told once when a request is cancelled while it is closed', async () => {
    const client = new FakeClient();
    const ended = deferred<undefined>();
    client.close = () => ended.promise;
    const { server, stops } = keeperOf(client, 'stop');
    const person = new CancellationTokenSource({ clock });
    const call = expect(server.request(person.token, () => never)).rejects.toMatchObject({ name: 'AbortError' });
    await clock.advance(0);
    const closed = server.close();
    await clock.advance(0);
    person.cancel('user');
    await clock.advance(1000);
    await call;
    ended.resolve(undefined);
    await closed;
    await server.settled();
    expect(stops).toEqual(['closed']);
  });

  it.each([
    ['returns nothing', () => undefined],
    ['throws', () => void JSON.parse('{')],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['never ends', () => never],
  ])('is over where the client’s close %s', async (_how, close) => {
    const client = Object.assign(new FakeClient(), { close }) as FakeClient;
    const { server, stops } = keeperOf(client);
    await server.request(null, () => 'one');
    const closed = server.close();
    await clock.advance(100);
    await closed;
    expect([stops, server.client]).toEqual([['closed'], undefined]);
  });
});

describe('a client that has no connection when connect resolves', () => {
  const unconnected = 'the client that connect returned has no connection';

  it('fails the request after one attempt; the next one tries again', async () => {
    let connects = 0;
    const closed: number[] = [];
    const server = new ServerKeeper<FakeClient>(
      () => {
        const number = ++connects;
        // A loop of microtasks would never come back to this test.
        if (number > 10) throw new Error('connected over and over');
        const client = new FakeClient();
        client.transport = number < 3 ? undefined : {};
        client.close = () => {
          closed.push(number);
          return Promise.resolve();
        };
        return client;
      },
      { clock },
    );
    const both = [server.request(null, () => 'never'), server.request(null, () => 'never')];
    for (const call of both) await expect(call).rejects.toThrow(unconnected);
    expect([connects, closed, server.client]).toEqual([1, [1], undefined]);
    await expect(server.request(null, () => 'never')).rejects.toThrow(unconnected);
    await expect(server.request(null, () => 'now')).resolves.toBe('now');
    expect(connects).toBe(3);
    await server.close();
    expect(closed).toEqual([1, 2, 3]);
  });

  it('cannot hold a cancelled request', async () => {
    let connects = 0;
    const later = deferred<undefined>();
    const server = new ServerKeeper<FakeClient>(
      async () => {
        if (++connects > 10) throw new Error('connected over and over');
        await later.promise;
        return Object.assign(new FakeClient(), { transport: undefined });
      },
      { clock },
    );
    const person = new CancellationTokenSource({ clock });
    const call = expect(server.request(person.token, () => 'never')).rejects.toMatchObject({ name: 'AbortError' });
    await clock.advance(0);
    person.cancel('user');
    await call;
    later.resolve(undefined);
    await clock.advance(0);
    expect(connects).toBe(1);
  });

  it('is told so also where its close throws', async () => {
    const close = () => void JSON.parse('{');
    const client = Object.assign(new FakeClient(), { transport: undefined, close }) as FakeClient;
    const server = new ServerKeeper<FakeClient>(() => client, { clock });
    await expect(server.request(null, () => 'never')).rejects.toThrow(unconnected);
  });

  it.each([undefined, null, 'client', {}])('is told that connect must return a client, not %o', async (given) => {
    const server = new ServerKeeper<FakeClient>(() => given as never, { clock });
    await expect(server.request(null, () => 'never')).rejects.toThrow('connect must return a connected client, got');
  });
});
