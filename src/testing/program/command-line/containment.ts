/**
 * Namespaces of its own for a check: only the loopback, and when its first process ends everything in them ends.
 *
 * @module
 */
import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import process from 'node:process';

/** Set in the environment of who is inside. */
export const INSIDE = 'DESIST_CHECK_CONTAINED';

const namespaces = ['-rn', '--kill-child', '-pf', '--mount-proc', 'sh', '-c'] as const;
const withLoopback = 'ip link set lo up && exec "$@"';

/** Whether the system gives them to this user, and has the two programs that make them. */
export function canContain(): boolean {
  if (process.platform !== 'linux') return false;
  return spawnSync('unshare', [...namespaces, withLoopback, 'sh', 'true'], { stdio: 'ignore' }).status === 0;
}

/**
 * Runs a command inside, with our standard streams.
 *
 * @returns Its exit code.
 */
export async function runContained(command: readonly string[]): Promise<number> {
  const child = spawn('unshare', [...namespaces, withLoopback, 'sh', ...command], {
    stdio: 'inherit',
    env: { ...process.env, [INSIDE]: '1' },
  });
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']);
    });
  });
}
