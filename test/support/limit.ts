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

/** A clock of the time that the machine has given. */
export interface GivenTime {
  /** Milliseconds so far. */
  readonly ms: () => number;
  readonly stop: () => void;
}

/**
 * Counts the time of this process in small steps. One that comes late counts as one in time: what a busy machine does with others in between
 * is not counted, at the moment at which it is busy.
 */
export function givenTime(): GivenTime {
  const stepMs = 10;
  let ms = 0;
  const timer = setInterval(() => (ms += stepMs), stepMs);
  return {
    ms: () => ms,
    stop: () => {
      clearInterval(timer);
    },
  };
}
