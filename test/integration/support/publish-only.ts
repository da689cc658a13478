/**
 * A bus without a record, to compare with: each stop is published once, to whoever listens just then.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { Redis } from 'ioredis';
import pg from 'pg';

import { urlOf } from '../../support/engines/postgres.ts';
import { stopsOf, type Fault } from './faults.ts';

/** What it is made of: a process that asks, and one that listens. */
export interface PlainBus {
  publish(id: string): Promise<unknown>;
  subscribe(ids: readonly string[]): Promise<unknown>;
  readonly heard: ReadonlySet<string>;
  close(): Promise<unknown>;
}

/** Redis' own: the client listens again by itself. */
export function plainRedis(askingPort: number, listeningPort: number): PlainBus {
  const clientOf = (port: number): Redis => new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null });
  const [publisher, subscriber] = [clientOf(askingPort), clientOf(listeningPort)];
  for (const client of [publisher, subscriber]) client.on('error', () => undefined);
  const heard = new Set<string>();
  subscriber.on('message', (channel) => heard.add(channel));
  return {
    heard,
    publish: (id) => publisher.publish(id, 'stop'),
    subscribe: (ids) => subscriber.subscribe(...ids),
    close: async () => {
      publisher.disconnect();
      subscriber.disconnect();
      return Promise.resolve();
    },
  };
}

/** PostgreSQL's own: a session that ends is replaced, and listens to the same again. */
export function plainPostgres(askingPort: number, listeningPort: number): PlainBus {
  const pool = new pg.Pool({ connectionString: urlOf({ port: askingPort }), max: 10 });
  pool.on('error', () => undefined);
  const heard = new Set<string>();
  const channels = new Set<string>();
  const listen = (ids: Iterable<string>): string => [...ids].map((id) => `listen "${id}"`).join('; ');
  let isClosed = false;
  let session: Promise<pg.Client> = connect();

  async function connect(): Promise<pg.Client> {
    for (;;) {
      const client = new pg.Client({ connectionString: urlOf({ port: listeningPort }) });
      client.on('error', () => undefined);
      client.on('notification', ({ channel }) => heard.add(channel));
      try {
        await client.connect();
        await client.query(listen(channels));
        client.once('end', () => {
          if (!isClosed) session = connect();
        });
        return client;
      } catch (error) {
        if (isClosed) throw error;
        await sleep(50);
      }
    }
  }
  const publish = async (id: string): Promise<unknown> => {
    try {
      return await pool.query('select pg_notify($1, $2)', [id, 'stop']);
    } catch {
      await sleep(50);
      return publish(id);
    }
  };
  return {
    heard,
    publish,
    subscribe: async (ids) => {
      for (const id of ids) channels.add(id);
      await (await session).query(listen(ids));
    },
    close: async () => {
      isClosed = true;
      // The last session may be half open: it is not asked.
      void session.then((client) => client.end()).catch(() => undefined);
      await pool.end();
    },
  };
}

/** What it loses of as many stops, under the same fault. */
export async function lostByPublishing(fault: Fault, bus: PlainBus, misbehave: () => Promise<void>): Promise<number> {
  const stops = stopsOf(fault);
  const ids = Array.from({ length: stops }, (_, n) => `run-${String(n)}`);
  await bus.subscribe(fault.races === true ? ['another'] : ids);
  const over = misbehave();
  await Promise.all(
    ids.map(async (id, n) => {
      await sleep((fault.spreadMs * n) / stops);
      // One shortly after the other in either order, and neither waits.
      const registered = fault.races === true && n % 2 === 0 ? bus.subscribe([id]) : undefined;
      if (fault.races === true) await sleep(n % 5);
      const asked = bus.publish(id);
      if (fault.races === true && n % 2 === 1) await bus.subscribe([id]);
      await Promise.all([asked, registered]);
    }),
  );
  await over;
  await sleep(1_000);
  await bus.close();
  return stops - bus.heard.size;
}
