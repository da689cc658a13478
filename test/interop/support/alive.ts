/**
 * Whether a process is alive, asked of `ps`: a zombie is not.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';

export function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  const state = stdout.trim();
  return state !== '' && !state.startsWith('Z');
}
