/**
 * How much slower than a quiet machine this one is now, so that a limit of a test means the same everywhere.
 *
 * @module
 */
import { availableParallelism, loadavg } from 'node:os';

/** What the work below takes on a quiet machine of today, in milliseconds. */
const QUIET_MS = 30;

/** Takes the same number of steps everywhere. */
function work(): number {
  let state = 1;
  for (let step = 0; step < 10_000_000; step += 1) state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
  return state;
}

/**
 * At least 1, at most 8: the larger of how long a fixed piece of work takes, and of how many processes wait for a core.
 * `TEST_FACTOR` sets it.
 */
export function machineFactor(): number {
  const given = Number(process.env['TEST_FACTOR']);
  if (given > 0) return given;
  const startedAt = performance.now();
  if (work() < 0) throw new Error('unreachable: keeps the loop from being dropped');
  const slower = (performance.now() - startedAt) / QUIET_MS;
  const busier = (loadavg()[0] ?? 0) / availableParallelism();
  return Math.min(8, Math.max(1, slower, busier));
}
