/**
 * A PgBouncer of our own before a PostgreSQL of our own, in transaction mode; never as root.
 *
 * @module
 */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { postgresAnswers, urlOf } from '../../support/engines/postgres.ts';
import { freePort, mustBeHere } from '../../support/engines/redis.ts';

/** Whether there is a `pgbouncer`; where it has to be, that is a failure. */
export function hasPgBouncer(): boolean {
  try {
    execFileSync('pgbouncer', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    if (mustBeHere) throw new Error('pgbouncer is missing');
    process.stderr.write('pgbouncer is missing: nothing is tested behind it\n');
    return false;
  }
}

/** It refuses to run as root. */
function user(): { readonly uid?: number } {
  return process.getuid?.() === 0 ? { uid: Number(execFileSync('id', ['-u', 'postgres'])) } : {};
}

/**
 * Starts one before the PostgreSQL on `target`, and waits until it answers. A connection that is cut while it logs in makes it refuse everybody:
 * for 15 s by itself, which is longer than the leases of tests, and here for one.
 */
export async function startPgBouncer(target: number): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'desist-pgbouncer-'));
  const port = await freePort();
  const ini = `[databases]
postgres = host=127.0.0.1 port=${String(target)} dbname=postgres user=desist
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${String(port)}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 10
server_login_retry = 1
`;
  await writeFile(join(folder, 'pgbouncer.ini'), ini);
  chmodSync(folder, 0o755);
  const child = spawn('pgbouncer', ['-q', join(folder, 'pgbouncer.ini')], { ...user(), stdio: 'ignore' });
  const url = urlOf({ port });
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended;
    await rm(folder, { recursive: true, force: true });
  };
  for (let tries = 0; tries < 400; tries++) {
    if (await postgresAnswers(url)) return { url, stop };
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  await stop();
  throw new Error('pgbouncer does not answer');
}
