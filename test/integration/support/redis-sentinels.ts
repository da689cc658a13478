/**
 * A Redis with a replica, and three sentinels that put it in the master's place, on loopback.
 *
 * @module
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Redis } from 'ioredis';

import { freePort, startRedis } from '../../support/engines/redis.ts';
import { eventually } from '../../support/eventually.ts';
import { quickReplicas } from './redis-cluster.ts';

/** Sentinels that run, for a master by the name of `agents`. */
export interface RedisSentinels {
  /** Of the sentinels. */
  readonly ports: readonly number[];
  /** Kills the master, waits until the replica is one, and starts the dead one again as a replica. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

/** How long a master is silent before the sentinels take it for dead. */
const DOWN_AFTER_MS = 1_500;

/** Starts them, and waits until they know each other. */
export async function startRedisSentinels(): Promise<RedisSentinels> {
  const first = await startRedis(...quickReplicas);
  const engines = [first, await startRedis(...quickReplicas, '--replicaof', '127.0.0.1', String(first.port))];
  const folder = await mkdtemp(join(tmpdir(), 'desist-sentinels-'));
  const ports = await Promise.all([1, 2, 3].map(freePort));
  const children: ChildProcess[] = [];
  for (const port of ports) {
    const file = join(folder, `${String(port)}.conf`);
    const lines = [
      `port ${String(port)}`,
      'bind 127.0.0.1',
      `dir ${folder}`,
      `sentinel monitor agents 127.0.0.1 ${String(first.port)} 2`,
      `sentinel down-after-milliseconds agents ${String(DOWN_AFTER_MS)}`,
      'sentinel failover-timeout agents 5000',
    ];
    await writeFile(file, lines.join('\n'));
    children.push(spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' }));
  }
  const sentinel = new Redis(ports[0] ?? 0, '127.0.0.1', { retryStrategy: () => 50 });
  sentinel.on('error', () => undefined);
  const fieldsOf = (flat: readonly string[]): Readonly<Record<string, string>> =>
    Object.fromEntries(flat.flatMap((name, n) => (n % 2 === 0 ? [[name, String(flat[n + 1])]] : [])));
  const master = async (): Promise<Readonly<Record<string, string>>> =>
    fieldsOf((await sentinel.call('SENTINEL', 'MASTER', 'agents')) as string[]);
  const isWhole = (): Promise<void> =>
    eventually(async () => {
      const replicas = ((await sentinel.call('SENTINEL', 'REPLICAS', 'agents')) as string[][]).map(fieldsOf);
      const links = replicas.map(({ flags, 'master-link-status': link }) => `${String(flags)} ${String(link)}`);
      const { 'num-other-sentinels': others, flags } = await master();
      if (others !== '2' || flags !== 'master' || links.join() !== 'slave ok') throw new Error('not whole');
    });
  await isWhole();
  return {
    ports,
    failOver: async () => {
      const { port } = await master();
      const dying = engines.find((one) => one.port === Number(port));
      if (dying === undefined) throw new Error('nobody is master');
      process.kill(dying.pid, 'SIGKILL');
      await eventually(async () => {
        if ((await master())['port'] === port) throw new Error('it is master still');
      });
      await dying.restart();
      await isWhole();
    },
    stop: async () => {
      sentinel.disconnect();
      for (const child of children) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      await Promise.all(engines.map((engine) => engine.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
