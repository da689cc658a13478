/**
 * A Redis cluster of our own: three masters, each with a replica that takes its place, on loopback.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { Redis } from 'ioredis';

import { startRedis, type Engine } from '../../support/engines/redis.ts';
import { eventually } from '../../support/eventually.ts';

const run = promisify(execFile);

/** A cluster that runs. */
export interface RedisCluster {
  readonly ports: readonly number[];
  /** Kills the master of a key's slot, waits until its replica is master, and starts it again as a replica. */
  failOver(key: string): Promise<void>;
  stop(): Promise<void>;
}

/** How long a node is silent before the others take it for dead. */
const NODE_TIMEOUT_MS = 2_000;

/** A new replica is served at once. */
export const quickReplicas: readonly string[] = ['--repl-diskless-sync-delay', '0'];

/** Asks one node, by a connection of its own. */
async function ask(port: number, ...[command = '', ...rest]: readonly string[]): Promise<unknown> {
  const client = new Redis(port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => null });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await client.call(command, ...rest);
  } finally {
    client.disconnect();
  }
}

/** Starts it, and waits until it is one. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const settings = ['--cluster-enabled', 'yes', '--cluster-node-timeout', String(NODE_TIMEOUT_MS), ...quickReplicas];
  const engines = await Promise.all(Array.from({ length: 6 }, () => startRedis(...settings)));
  const nodes = engines.map(({ port }) => `127.0.0.1:${String(port)}`);
  await run('redis-cli', ['--cluster', 'create', ...nodes, '--cluster-replicas', '1', '--cluster-yes']);
  const isWhole = async ({ port }: Engine): Promise<boolean> => {
    const [info, listed] = [await ask(port, 'CLUSTER', 'INFO'), await ask(port, 'CLUSTER', 'NODES')];
    // A replica that has never had its master's records does not take its place.
    if (String(await ask(port, 'INFO', 'replication')).includes('master_link_status:down')) return false;
    const replicas = String(listed).match(/ (?:myself,)?slave /g)?.length ?? 0;
    return String(info).includes('cluster_state:ok') && replicas === 3 && !/ fail[ ,?]|fail\?/.test(String(listed));
  };
  const whole = (): Promise<void> =>
    eventually(async () => {
      for (const engine of engines) if (!(await isWhole(engine))) throw new Error('the cluster is not whole');
    });
  await whole();
  const masterOf = async (key: string): Promise<Engine> => {
    const slot = Number(await ask(engines[0]?.port ?? 0, 'CLUSTER', 'KEYSLOT', key));
    const listed = (await ask(engines[0]?.port ?? 0, 'CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
    const port = listed.find(([from, to]) => from <= slot && slot <= to)?.[2][1];
    const engine = engines.find((one) => one.port === port);
    if (engine === undefined) throw new Error('nobody has the slot');
    return engine;
  };
  return {
    ports: engines.map(({ port }) => port),
    failOver: async (key) => {
      const master = await masterOf(key);
      process.kill(master.pid, 'SIGKILL');
      const other = engines.find((one) => one !== master)?.port ?? 0;
      await eventually(async () => {
        const listed = (await ask(other, 'CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
        if (listed.some(([, , [, port]]) => port === master.port)) throw new Error('it is master still');
      });
      await master.restart();
      await whole();
    },
    stop: async () => {
      await Promise.all(engines.map((engine) => engine.stop()));
    },
  };
}
