/**
 * The door `desist/redis`: stops between processes over Redis, with the client that you have already.
 *
 * @module desist/redis
 */
import type { StopBackend } from '../../remote/backend.ts';
import { type OptionNames, requireMs, requireOptions, show, systemClock, waitAtMost } from '../../core/inside.ts';
import { wiringOf, type IoRedisClient, type NodeRedisClient } from './client.ts';
import { RedisConnection } from './connection.ts';
import { Keys } from './keys.ts';

/**
 * Options of {@link redisBackend}.
 *
 * @since 0.1.0
 */
export interface RedisBackendOptions {
  /** A client of `ioredis`, `iovalkey` or `redis`; it is copied for connections of our own, and stays yours. */
  readonly client: IoRedisClient | NodeRedisClient;
  /** Keeps deployments apart that share an engine; `desist` by default. */
  readonly namespace?: string | undefined;
  /** The shortest lease, in milliseconds: longer than a failover of this engine takes; 5,000 by default. */
  readonly minLeaseMs?: number | undefined;
  /** Hears that the engine may forget stops: its `maxmemory-policy` evicts. `process.emitWarning` by default. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** How long an engine has for its first answer, where nobody says, in milliseconds. */
const DEADLINE_MS = 5_000;

const optionNames: OptionNames<RedisBackendOptions> = { client: 1, namespace: 1, minLeaseMs: 1, onWarning: 1 };

/**
 * Carries stops over Redis 6.2 or newer. Each node has two connections, and one of them only while it hosts or
 * works for something; records, inboxes and leases all expire by themselves.
 *
 * @cleanup `close()` of the bus ends its connections; the client that you gave is not touched.
 * @param options The client; what keeps deployments apart.
 * @returns A backend for `openStopBus`.
 * @throws TypeError, RangeError – a client of no known kind, or an option that makes no sense.
 * @example Wiring
 * ```ts
 * import { redisBackend } from 'desist/redis'
 *
 * try {
 *   redisBackend({ client: {} as never })
 * } catch (error) {
 *   (error as Error).name // => 'TypeError'
 * }
 * ```
 * @source Redlock's critics: fencing, not locks, is what keeps an old owner from writing
 * @since 0.1.0
 */
export function redisBackend(options: RedisBackendOptions): StopBackend {
  requireOptions(options, optionNames);
  const { client, namespace = 'desist', onWarning = warn } = options;
  const minLeaseMs = requireMs('minLeaseMs', options.minLeaseMs ?? 5_000, 'finite');
  if (typeof namespace !== 'string' || namespace === '' || /[{}]/.test(namespace)) {
    throw new TypeError(`namespace must be a string without braces, got ${show(namespace)}`);
  }
  const wiring = wiringOf(client);
  const keys = new Keys(namespace);
  return {
    name: 'redis',
    caps: { durability: 'memory', push: true, minLeaseMs },
    connect: async (node, events, { deadlineMs } = { deadlineMs: DEADLINE_MS }) => {
      const connection = new RedisConnection(wiring, keys, node, events);
      // An engine that accepts and says nothing may answer later.
      await waitAtMost(systemClock, deadlineMs, connection.tried);
      // Managed engines may refuse to say; then nobody can warn.
      void warnOfEviction(connection, onWarning).catch(() => undefined);
      return connection;
    },
  };
}

async function warnOfEviction(connection: RedisConnection, onWarning: (message: string) => void): Promise<void> {
  const setting = async (name: string): Promise<string> => {
    const answer = await connection.command(['CONFIG', 'GET', name]);
    const values: readonly unknown[] = Array.isArray(answer) ? answer : Object.entries(answer as object).flat();
    return String(values[1]);
  };
  const [policy, limit] = [await setting('maxmemory-policy'), await setting('maxmemory')];
  if (policy === 'noeviction' || limit === '0') return;
  onWarning(
    `Redis may evict stops that wait for their session: maxmemory-policy is ${policy}, and should be noeviction`,
  );
}

function warn(message: string): void {
  process.emitWarning(message, { type: 'DesistWarning' });
}
