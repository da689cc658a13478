/**
 * Namespaces of its own for a check: only the loopback, and when its first process ends everything in them ends.
 *
 * @module
 */
import { spawn, spawnSync } from 'node:child_process';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import process from 'node:process';
import type { CancellationToken } from '../../../index.ts';

/** Set in the environment of who is inside. */
export const INSIDE = 'DESIST_CHECK_CONTAINED';

const namespaces = ['-rn', '--kill-child', '-pf', '--mount-proc', 'sh', '-c'] as const;
/** The shell stays, as the first process: it takes leave of what has lost its parent, which would be seen as living for ever. */
const withLoopback = 'ip link set lo up && "$@"; exit $?';

/** Whether the system gives them to this user, and has the two programs that make them. */
export function canContain(): boolean {
  if (process.platform !== 'linux') return false;
  return spawnSync('unshare', [...namespaces, withLoopback, 'sh', 'true'], { stdio: 'ignore' }).status === 0;
}

/** The pipe that is open for as long as who is outside lives and has not been stopped: no signal reaches the inside reliably. */
const LIFELINE = 3;

/**
 * Runs a command inside, with our standard streams.
 *
 * @param token Its cancellation is told to who is inside, who ends in order.
 * @returns Its exit code.
 */
export async function runContained(command: readonly string[], token?: CancellationToken): Promise<number> {
  const child = spawn('unshare', [...namespaces, withLoopback, 'sh', ...command], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, [INSIDE]: '1' },
  });
  const lifeline = child.stdio[LIFELINE];
  lifeline?.on('error', () => undefined); // who is inside has gone first
  const registration = token?.onCancelled(() => lifeline?.destroy());
  return await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']);
    });
  }).finally(() => {
    registration?.unregister();
    lifeline?.destroy();
  });
}

/** Inside: calls once who is outside has gone, or was told to stop. It keeps no process alive. */
export function whenOutsideEnds(listener: () => void): void {
  const lifeline = new Socket({ fd: LIFELINE, readable: true, writable: false });
  lifeline.once('error', listener).once('end', listener).resume().unref();
}
