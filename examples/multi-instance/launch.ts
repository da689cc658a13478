/** Starts three instances – three processes over Redis, or three here over memory – and a round-robin in front of them. */
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

import { openBalancer } from './balancer.ts';

export interface Launch {
  /** The program of an instance, which is given its name, the Redis and `args`, and sends its port. */
  readonly worker: URL;
  readonly args: readonly string[];
  /** The same in this process. */
  readonly openHere: (
    names: readonly string[],
  ) => Promise<readonly { readonly port: number; close(): Promise<void> }[]>;
  /** What else has to end. */
  readonly close?: () => Promise<void>;
}

const names = ['north', 'south', 'west'];

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

/** REDIS_URL, or a Redis of our own where the program is, or none. */
async function findRedis(ends: (() => unknown)[]): Promise<string | undefined> {
  if (process.env['NO_REDIS'] !== undefined) return undefined;
  if (process.env['REDIS_URL'] !== undefined) return process.env['REDIS_URL'];
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const port = await freePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const redis = spawn('redis-server', options, { stdio: 'ignore' });
  ends.push(() => redis.kill());
  return `redis://127.0.0.1:${port}`;
}

/** Runs until a signal comes. */
export async function launch({ worker, args, openHere, close }: Launch): Promise<void> {
  const ends: (() => unknown)[] = close === undefined ? [] : [close];
  const redis = await findRedis(ends);

  async function forkInstance(name: string, url: string): Promise<number> {
    const child = fork(fileURLToPath(worker), [name, url, ...args]);
    ends.unshift(async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return port;
  }

  async function open(): Promise<number[]> {
    if (redis !== undefined) return Promise.all(names.map((name) => forkInstance(name, redis)));
    const instances = await openHere(names);
    ends.unshift(...instances.map((instance) => () => instance.close()));
    return instances.map(({ port }) => port);
  }

  const balancer = await openBalancer(await open(), Number(process.env['PORT'] ?? 0));
  const where = redis === undefined ? 'three instances in this process' : `three processes over ${redis}`;
  console.log(`${where}: ${balancer.url}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      balancer.close();
      void (async () => {
        for (const end of ends) await end();
      })();
    });
  }
}
