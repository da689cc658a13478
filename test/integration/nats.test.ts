/**
 * The backend that the guide shows for an engine of one's own, against a real NATS server.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstream } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { natsBackend } from '../../examples/nats/nats-backend.ts';
import { openStopBus, type StopBackend } from '../../src/remote/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { stopBackendSuite } from '../../src/testing/index.ts';
import { startNats, type NatsEngine } from '../support/engines/nats.ts';
import { hasServer } from '../support/engines/redis.ts';

const leaseMs = 5_000;

describe.skipIf(!hasServer('nats-server', 'NATS'))('the example over NATS', () => {
  let engine: NatsEngine;
  let opened = 0;

  beforeAll(async () => {
    engine = await startNats();
  }, 30_000);
  afterAll(async () => {
    await engine.stop();
  });

  const open = (): StopBackend => {
    const name = `case-${String(++opened)}`;
    const options = { history: 1, allow_direct: false, ttl: 25 * 3_600_000 };
    return natsBackend({
      connect: () =>
        connect({ servers: `127.0.0.1:${String(engine.port)}`, maxReconnectAttempts: -1, reconnectTimeWait: 100 }),
      bucket: (connection, timeout) => new Kvm(jetstream(connection, { timeout })).create(name, options),
    });
  };

  it.each(stopBackendSuite({ open }))('NATS: $title', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  it('NATS that takes connections and says nothing keeps nobody from working: a bus opens, and is degraded', async () => {
    const taken = new Set<Socket>();
    const deaf = createServer((socket) => taken.add(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
    await once(deaf, 'listening');
    const servers = `127.0.0.1:${String((deaf.address() as AddressInfo).port)}`;
    const backend = natsBackend({
      connect: () => connect({ servers, timeout: 30_000, maxReconnectAttempts: -1 }),
      bucket: (connection, timeout) => new Kvm(jetstream(connection, { timeout })).create('none'),
    });
    const bus = await openStopBus(backend, { leaseMs });
    const heard: string[] = [];
    bus.onEvent(({ type }) => heard.push(type));
    expect(heard).toEqual(['degraded']);
    await bus.close({ timeoutMs: 0 });
    for (const socket of taken) socket.destroy();
    await once(deaf.close(), 'close');
  });

  it.each<[string, () => Promise<void>]>([
    ['well', () => Promise.resolve()],
    ['killed, and started again with its store', () => engine.restart('kept')],
    ['killed, and started again with an empty store', () => engine.restart('empty')],
    [
      'paused for two seconds',
      async () => {
        process.kill(engine.pid, 'SIGSTOP');
        await sleep(2_000);
        process.kill(engine.pid, 'SIGCONT');
      },
    ],
  ])(
    'NATS that is %s while fifty are stopped: nobody runs on whose receipt says otherwise, and the next stop arrives',
    async (_, fault) => {
      const backend = open();
      const [host, front] = [await openStopBus(backend, { leaseMs }), await openStopBus(backend, { leaseMs })];
      const [here, elsewhere] = [new SessionRegistry({ bus: host }), new SessionRegistry({ bus: front })];
      const ids = Array.from({ length: 50 }, (_each, n) => `run-${String(n)}`);
      const told = new Map<string, number>();
      const start = async (id: string): Promise<boolean> => {
        const session = here.open(id);
        const isReady = await session.ready();
        void session.controller.runTurn(({ token }) => {
          token.onCancelled(() => told.set(id, (told.get(id) ?? 0) + 1));
          return token.whenCancelled();
        });
        return isReady;
      };
      expect((await Promise.all(ids.map(start))).every(Boolean)).toBe(true);
      const asked = ids.map((id) => elsewhere.cancel(id, 'enough', { wait: 'settled', timeoutMs: leaseMs * 6 }));
      await sleep(20);
      await fault();
      const receipts = await Promise.all(asked);
      const claimed = receipts.filter(({ status }) => status === 'observed' || status === 'settled');
      expect(claimed.filter(({ sessionId }) => told.get(sessionId) !== 1)).toEqual([]);
      // Of the others it is said that nobody knows; they are told as soon as the engine has heard of it.
      expect(
        receipts.filter(({ status, timedOut }) => status === 'pending' || (status === 'requested' && !timedOut)),
      ).toEqual([]);
      const next = async (): Promise<string> => {
        await start('next');
        return (await elsewhere.cancel('next', 'enough', { wait: 'settled', timeoutMs: leaseMs * 6 })).status;
      };
      expect(await next()).toBe('settled');
      await here.drain({ timeoutMs: 0 });
      await Promise.all([host.close(), front.close()]);
    },
    120_000,
  );
});
