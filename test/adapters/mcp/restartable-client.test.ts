import { afterEach, describe, expect, it, vi } from 'vitest';

import { restartableClient } from '../../../src/adapters/mcp/restartable-client.ts';
import type { RestartableClientOptions } from '../../../src/adapters/mcp/server-keeper.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { FakeClient, never } from './fake-client.ts';

const clock = new VirtualClock();

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

function rig(options: RestartableClientOptions<FakeClient> = {}, answer?: () => Promise<unknown>) {
  const clients: FakeClient[] = [];
  const connect = (): FakeClient => {
    const client = new FakeClient();
    if (answer !== undefined) client.answer = answer;
    clients.push(client);
    return client;
  };
  const stops: string[] = [];
  const onServerStopped: RestartableClientOptions<FakeClient>['onServerStopped'] = ({ why }) => stops.push(why);
  return { clients, stops, server: restartableClient(connect, { clock, graceMs: 100, onServerStopped, ...options }) };
}

/** Sends a request that is cancelled while it is open. */
async function cancelOne(server: ReturnType<typeof rig>['server']): Promise<void> {
  const person = new CancellationTokenSource({ clock });
  const open = deferred<undefined>();
  const call = server.request(person.token, ({ transport }, { signal }) => {
    expect(transport).toBeDefined();
    open.resolve(undefined);
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(Object.assign(new Error('MCP error -32001: Request cancelled'), { code: -32001 }));
      });
    });
  });
  const outcome = expect(call).rejects.toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
  await open.promise;
  person.cancel('user');
  await outcome;
}

it('connects once, for the first request', async () => {
  const { clients, server } = rig();
  expect(server.client).toBeUndefined();
  const send = (client: FakeClient) => clients.indexOf(client);
  await expect(Promise.all([server.request(null, send), server.request(null, send)])).resolves.toEqual([0, 0]);
  expect(clients).toEqual([server.client]);
});

describe('after a cancel', () => {
  it('a server that answers the probe, even with an error, is kept', async () => {
    for (const answer of [() => Promise.resolve({}), () => Promise.reject(new Error('-32601'))]) {
      const { clients, stops, server } = rig({}, answer);
      await cancelOne(server);
      await server.settled();
      await expect(server.request(null, () => 'next')).resolves.toBe('next');
      expect([clients.length, clients[0]?.pings, stops]).toEqual([1, 1, []]);
    }
  });

  it('a deaf one is stopped when the grace is over, and the next request finds a new one', async () => {
    const { clients, stops, server } = rig({}, () => never);
    await cancelOne(server);
    const next = server.request(null, (client) => clients.indexOf(client));
    await clock.advance(99);
    expect(stops).toEqual([]);
    await clock.advance(1);
    await expect(next).resolves.toBe(1);
    expect(stops).toEqual(['deaf']);
    expect(clients[0]?.transport).toBeUndefined();
  });

  it('stop asks nothing, keep does nothing', async () => {
    const stopping = rig({ afterCancel: 'stop' }, () => never);
    await cancelOne(stopping.server);
    await stopping.server.settled();
    expect([stopping.stops, stopping.clients[0]?.pings]).toEqual([['cancelled'], 0]);

    const keeping = rig({ afterCancel: 'keep' }, () => never);
    await cancelOne(keeping.server);
    await keeping.server.settled();
    expect([keeping.stops, keeping.clients[0]?.pings]).toEqual([[], 0]);
  });

  it('several cancels ask once', async () => {
    const answer = deferred<unknown>();
    const { clients, server } = rig({}, () => answer.promise);
    const person = new CancellationTokenSource({ clock });
    const calls = Promise.allSettled([1, 2, 3].map(() => server.request(person.token, () => never, { graceMs: 0 })));
    await clock.advance(0);
    person.cancel('user');
    await clock.advance(10);
    await calls;
    answer.resolve({});
    await server.settled();
    expect(clients[0]?.pings).toBe(1);
  });

  it('the probe can be another question; revision 2026-07-28 is asked to discover', async () => {
    const probe = vi.fn();
    const own = rig({ probe });
    await cancelOne(own.server);
    await own.server.settled();
    expect(probe).toHaveBeenCalledExactlyOnceWith(own.clients[0], expect.objectContaining({}));

    const discover = vi.fn(() => Promise.resolve({}));
    const modern = Object.assign(new FakeClient(), { getProtocolEra: () => 'modern', discover });
    const server = restartableClient(() => modern, { clock });
    await cancelOne(server);
    await server.settled();
    expect([discover.mock.calls.length, modern.pings]).toEqual([1, 0]);
  });
});

it('a timeout is a reason to ask; a failure of the request is none', async () => {
  const { clients, server } = rig();
  await expect(server.request(null, () => Promise.reject(new Error('-32602')))).rejects.toThrow('-32602');
  await server.settled();
  expect(clients[0]?.pings).toBe(0);
  const person = new CancellationTokenSource({ clock });
  const late = expect(server.request(person.token, () => never, { timeoutMs: 10, graceMs: 0 })).rejects.toMatchObject({
    name: 'TimeoutError',
  });
  await clock.advance(20);
  await late;
  await server.settled();
  expect(clients[0]?.pings).toBe(1);
});

it('a cancel does not wait for the connection, which serves the next request', async () => {
  const connected = deferred<FakeClient>();
  const connect = vi.fn(() => connected.promise);
  const server = restartableClient(connect, { clock });
  const person = new CancellationTokenSource({ clock });
  const send = vi.fn();
  const call = expect(server.request(person.token, send)).rejects.toMatchObject({ name: 'AbortError' });
  person.cancel('user');
  await call;
  connected.resolve(new FakeClient());
  await expect(server.request(null, () => 'next')).resolves.toBe('next');
  expect(connect).toHaveBeenCalledTimes(1);
  expect(send).not.toHaveBeenCalled();
});

it('a failure to connect is the request’s, and the next one tries again', async () => {
  const connect = vi.fn<() => FakeClient>().mockImplementationOnce(() => {
    throw new Error('ENOENT');
  });
  connect.mockImplementation(() => new FakeClient());
  const server = restartableClient(connect, { clock });
  await expect(server.request(null, () => 'never')).rejects.toThrow('ENOENT');
  await expect(server.request(null, () => 'next')).resolves.toBe('next');
});

it('a server that went away by itself is started again', async () => {
  const { clients, stops, server } = rig();
  await server.request(null, () => 'first');
  await clients[0]?.close();
  await server.request(null, () => 'second');
  expect([clients.length, stops]).toEqual([2, []]);
});

it('close stops what is connected and takes no more requests', async () => {
  const { clients, stops, server } = rig();
  await server.request(null, () => 'first');
  await server.close();
  expect([clients[0]?.transport, stops, server.client]).toEqual([undefined, ['closed'], undefined]);
  await expect(server.request(null, () => 'late')).rejects.toThrow('The client is closed');
  await server[Symbol.asyncDispose]();
  expect(stops).toEqual(['closed']);
});

it.each([
  [undefined, {}, 'connect must be a function, got undefined'],
  [() => new FakeClient(), { afterCancel: 'pray' }, "afterCancel must be one of 'probe', 'stop', 'keep'"],
  [() => new FakeClient(), { graceMs: Infinity }, 'graceMs must be a finite number of milliseconds'],
  [() => new FakeClient(), { probe: 1 }, 'options.probe must be a function, got 1'],
])('refuses %o %o', (connect, options, message) => {
  expect(() => restartableClient(connect as never, options as never)).toThrow(message);
});
