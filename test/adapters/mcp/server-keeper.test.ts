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
    const server = new ServerKeeper<FakeClient>(() => never, { clock, graceMs: 100 });
    const person = new CancellationTokenSource({ clock });
    const call = expect(server.request(person.token, () => 'never')).rejects.toMatchObject({ name: 'AbortError' });
    await clock.advance(0);
    person.cancel('user');
    await call;
    const closed = server.close();
    await clock.advance(100);
    await closed;
  });
});
