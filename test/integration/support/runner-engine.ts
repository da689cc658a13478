/**
 * The engines as a process of its own sees them: by name and port, with a bus that only publishes beside them.
 *
 * @module
 */
import { Redis } from 'ioredis';
import pg from 'pg';

import { postgresBackend } from '../../../src/adapters/postgres/index.ts';
import { redisBackend } from '../../../src/adapters/redis/index.ts';
import type { StopBackend } from '../../../src/remote/index.ts';
import { urlOf } from '../../support/engines/postgres.ts';

/** Which engines there are. */
export type EngineName = 'redis' | 'postgres';

/** A process's way to an engine. */
export interface EngineAccess {
  readonly backend: StopBackend;
  /** Tells whoever listens just now, and nobody else. */
  publish(word: string): Promise<unknown>;
  /** Listens; what is published before it resolves is not heard. */
  subscribe(hear: (word: string) => void): Promise<unknown>;
  close(): Promise<unknown>;
}

const minLeaseMs = 1_000;
const channel = 'plain-stops';

function reachRedis(port: number): EngineAccess {
  const [client, ear] = [1, 2].map(() => new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null })) as [
    Redis,
    Redis,
  ];
  for (const each of [client, ear]) each.on('error', () => undefined);
  return {
    backend: redisBackend({ client, namespace: 'faults', minLeaseMs }),
    publish: (word) => client.publish(channel, word),
    subscribe: (hear) => {
      ear.on('message', (_, word: string) => {
        hear(word);
      });
      return ear.subscribe(channel);
    },
    close: () => Promise.all([client.quit(), ear.quit()]),
  };
}

function reachPostgres(port: number): EngineAccess {
  const connectionString = urlOf({ port });
  const pool = new pg.Pool({ connectionString, max: 20 });
  const ear = new pg.Client({ connectionString });
  pool.on('error', () => undefined);
  ear.on('error', () => undefined);
  return {
    backend: postgresBackend({ pool, session: () => new pg.Client(connectionString), minLeaseMs }),
    publish: (word) => pool.query('select pg_notify($1, $2)', [channel, word]),
    subscribe: async (hear) => {
      ear.on('notification', ({ payload }) => {
        hear(String(payload));
      });
      await ear.connect();
      await ear.query(`listen "${channel}"`);
    },
    close: () => Promise.all([pool.end(), ear.end()]),
  };
}

/** A way to the engine that listens on a port of loopback. */
export function reachEngine(name: EngineName, port: number): EngineAccess {
  return name === 'redis' ? reachRedis(port) : reachPostgres(port);
}
