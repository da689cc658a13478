/**
 * How long a thread was ready to run and had no core: what a busy machine adds to a time, and no code can take away.
 *
 * @module
 */
import { readFileSync, readlinkSync } from 'node:fs';

/** By what another thread finds this one; nothing where that is not told. */
export function threadPath(): string | undefined {
  try {
    return readlinkSync('/proc/thread-self');
  } catch {
    return undefined;
  }
}

/**
 * @param path Of a thread, by default of this one.
 * @returns Milliseconds since its start; 0 where that is not told.
 */
export function withoutCoreMs(path = 'thread-self'): number {
  try {
    return Number(readFileSync(`/proc/${path}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}
