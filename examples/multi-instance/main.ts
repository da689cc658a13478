/** `node examples/multi-instance/main.ts`: three instances behind a round-robin, and a page with a Stop button for each run. */
import { execFileSync, fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

import { memoryBackend } from 'desist/remote';
import { openBalancer } from './balancer.ts';
import { memoryBoard } from './board.ts';
import { openInstance } from './instance.ts';

const stepMs = Number(process.env['STEP_MS'] ?? 1_500);
const names = ['north', 'south', 'west'];
const ends: (() => unknown)[] = [];

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

/** REDIS_URL, or a Redis of our own where the program is, or none. */
async function findRedis(): Promise<string | undefined> {
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

async function forkInstance(name: string, url: string): Promise<number> {
  const path = fileURLToPath(new URL('worker.ts', import.meta.url));
  const child: ChildProcess = fork(path, [name, url, String(stepMs)]);
  ends.unshift(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return port;
}

async function openHere(): Promise<number[]> {
  const [backend, board] = [memoryBackend(), memoryBoard()];
  const instances = await Promise.all(names.map((name) => openInstance({ name, backend, board, stepMs })));
  ends.unshift(...instances.map(({ close }) => close));
  return instances.map(({ port }) => port);
}

const url = process.env['NO_REDIS'] === undefined ? await findRedis() : undefined;
const ports = url === undefined ? await openHere() : await Promise.all(names.map((name) => forkInstance(name, url)));
const balancer = await openBalancer(ports, Number(process.env['PORT'] ?? 0));
console.log(
  `${url === undefined ? 'three instances in this process' : `three processes over ${url}`}: ${balancer.url}`,
);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    balancer.close();
    void (async () => {
      for (const end of ends) await end();
    })();
  });
}
