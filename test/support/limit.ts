/**
 * Limits of tests that a quiet machine never reaches, for the machine that this is.
 *
 * @module
 */

/** `vitest.config.ts` measures it as a run begins. */
const factor = Number(process.env['TEST_FACTOR'] ?? 1);

/** How long this machine may take for what takes a quiet one so many milliseconds at most. */
export function limitMs(ms: number): number {
  return Math.round(factor * ms);
}
