/**
 * A Redis server of our own: on a free loopback port, with nothing on disk, stopped by its process id.
 *
 * @module
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { untilAnswers } from './until-answers.ts';

/** A running server. */
export interface Engine {
  readonly port: number;
  readonly pid: number;
  /** Ends it at once, as a crash does, and starts it again with nothing. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Whether no test may leave itself out. */
export const mustBeHere: boolean = (process.env['CI'] ?? process.env['TEST_EVERYTHING']) !== undefined;

/** Whether there is such a server, which says its version; in CI there has to be. */
export function hasServer(program: string, engine: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    if (mustBeHere) throw new Error(`${program} is missing`);
    process.stderr.write(`${program} is missing: nothing is tested against ${engine}\n`);
    return false;
  }
}

/** Whether there is a `redis-server`. */
export function hasRedis(): boolean {
  return hasServer('redis-server', 'Redis');
}

/** A node of a cluster listens on one that is 10,000 higher as well. */
const HIGHEST_PORT = 55_000;

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port > HIGHEST_PORT ? freePort() : port;
}

/** Starts a server with these settings beside its own, and waits until it answers. */
export async function startRedis(...settings: readonly string[]): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'desist-redis-'));
  const port = await freePort();
  let child = await start(port, folder, settings);
  return {
    port,
    get pid() {
      return child.pid ?? 0;
    },
    restart: async () => {
      await end(child);
      child = await start(port, folder, settings);
    },
    stop: async () => {
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function start(port: number, folder: string, settings: readonly string[]): Promise<ChildProcess> {
  const options = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    folder,
    ...settings,
  ];
  const child = spawn('redis-server', options, { stdio: 'ignore' });
  await untilAnswers('redis-server', child, () => redisAnswers(port));
  return child;
}

/** Whether a client that comes now is served. */
export function redisAnswers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.on('data', (data) => {
      resolve(String(data).startsWith('+PONG'));
      socket.destroy();
    });
    socket.on('error', () => {
      resolve(false);
    });
    socket.on('close', () => {
      resolve(false);
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
