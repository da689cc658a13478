/**
 * A Redis of the bench's own: on a free loopback port, with nothing on disk, stopped by its process id.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Redis } from 'ioredis';

/** A server that runs. */
export interface RedisServer {
  readonly port: number;
  /** For questions about the server itself. */
  readonly client: Redis;
  /** One number out of `INFO`. */
  info(name: string): Promise<number>;
  stop(): Promise<void>;
}

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts one; `undefined` where there is no `redis-server`. */
export async function startRedisServer(): Promise<RedisServer | undefined> {
  const port = await freePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', options, { stdio: 'ignore' });
  const isThere = await Promise.race([once(child, 'spawn').then(() => true), once(child, 'error').then(() => false)]);
  if (!isThere) return undefined;
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 50 });
  client.on('error', () => undefined);
  await new Promise((resolve) => client.once('ready', resolve));
  return {
    port,
    client,
    info: async (name) =>
      Number(new RegExp(`^${name}:(?:calls=)?([\\d.]+)`, 'm').exec(await client.info('everything'))?.[1] ?? 0),
    stop: async () => {
      client.disconnect();
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}
