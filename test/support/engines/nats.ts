/**
 * A NATS server of our own with JetStream: on a free loopback port, with its store in a folder, stopped by its process id.
 *
 * @module
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from './redis.ts';

/** A running server. */
export interface NatsEngine {
  readonly port: number;
  readonly pid: number;
  /** Ends it at once, as a crash does, and starts it again: with its store, or with an empty one. */
  restart(store: 'kept' | 'empty'): Promise<void>;
  stop(): Promise<void>;
}

async function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (isThere: boolean) => () => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('data', end(true)).once('error', end(false));
  });
}

async function start(port: number, folder: string): Promise<ChildProcess> {
  const child = spawn('nats-server', ['-js', '-a', '127.0.0.1', '-p', String(port), '-sd', folder], {
    stdio: 'ignore',
  });
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error('nats-server has ended');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

/** Starts a server, and waits until it answers. */
export async function startNats(): Promise<NatsEngine> {
  const folders = [await mkdtemp(join(tmpdir(), 'desist-nats-'))];
  const port = await freePort();
  let child = await start(port, String(folders.at(-1)));
  return {
    port,
    get pid() {
      return child.pid ?? 0;
    },
    restart: async (store) => {
      await end(child);
      if (store === 'empty') folders.push(await mkdtemp(join(tmpdir(), 'desist-nats-')));
      child = await start(port, String(folders.at(-1)));
    },
    stop: async () => {
      await end(child);
      await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
    },
  };
}
