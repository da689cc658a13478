/**
 * A PostgreSQL of our own: on a free loopback port, in a folder that goes with it, stopped by its process id, never as root.
 *
 * @module
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import pg from 'pg';
import { freePort, mustBeHere, type Engine } from './redis.ts';
import { untilAnswers } from './until-answers.ts';

const versions = '/usr/lib/postgresql';

/** The folder of the newest server's programs; Debian keeps them off the path. */
function findPrograms(): string | undefined {
  const folders = existsSync(versions) ? readdirSync(versions).sort((a, b) => Number(b) - Number(a)) : [];
  return folders
    .map((version) => join(versions, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'postgres')));
}

const programs = findPrograms();

/** Whether there is a PostgreSQL server; in CI there has to be. */
export function hasPostgres(): boolean {
  if (programs !== undefined) return true;
  if (mustBeHere) throw new Error('PostgreSQL is missing');
  process.stderr.write('PostgreSQL is missing: nothing is tested against a real server\n');
  return false;
}

/** The server refuses to run as root. */
function user(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Where clients find it. */
export function urlOf({ port }: Pick<Engine, 'port'>): string {
  return `postgres://desist@127.0.0.1:${String(port)}/postgres`;
}

const settings = ['-U', 'desist', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'];

/** An empty cluster, as it was made for the first server of these programs: a copy costs a tenth of what another one does. */
const empty = fileURLToPath(
  new URL(
    `../../../.artifacts/postgres-${createHash('sha256')
      .update([programs, ...settings].join())
      .digest('hex')
      .slice(0, 8)}`,
    import.meta.url,
  ),
);

function makeCluster(data: string, who: ReturnType<typeof user>): void {
  const copy = (from: string, to: string): unknown => execFileSync('cp', ['-a', from, to]);
  if (existsSync(empty)) {
    copy(empty, data);
    return;
  }
  execFileSync(join(String(programs), 'initdb'), ['-D', data, ...settings], { ...who, cwd: tmpdir(), stdio: 'ignore' });
  const own = `${empty}-${String(process.pid)}`;
  mkdirSync(join(own, '..'), { recursive: true });
  copy(data, own);
  try {
    renameSync(own, empty);
  } catch {
    rmSync(own, { recursive: true }); // another process was faster
  }
}

/** Starts a server, and waits until it answers. */
export async function startPostgres(): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'desist-postgres-'));
  const [who, port, data] = [user(), await freePort(), join(folder, 'data')];
  chmodSync(folder, 0o755);
  if (who.uid !== undefined && who.gid !== undefined) chownSync(folder, who.uid, who.gid);
  makeCluster(data, who);
  let child = await start();

  async function start(): Promise<ChildProcess> {
    const running = ['listen_addresses=127.0.0.1', `unix_socket_directories=`, 'fsync=off', 'max_connections=200'];
    const options = ['-D', data, '-p', String(port), ...running.flatMap((setting) => ['-c', setting])];
    const started = spawn(join(String(programs), 'postgres'), options, { ...who, cwd: folder, stdio: 'ignore' });
    await untilAnswers('PostgreSQL', started, () => postgresAnswers(urlOf({ port })));
    return started;
  }
  return {
    port,
    get pid() {
      return child.pid ?? 0;
    },
    restart: async () => {
      await end(child);
      child = await start();
    },
    stop: async () => {
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Whether a client that comes now is served. */
export async function postgresAnswers(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** At once, as a crash does: its children see that it is gone, and end. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGQUIT');
  await ended;
}
