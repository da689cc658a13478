/**
 * Waiting in real time, for the suites: what somebody else wrote has no clock that could be moved.
 *
 * @module
 */
import { setTimeout } from 'node:timers';

/** Waits that long. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Between two questions. */
const [SOONEST_MS, LATEST_MS] = [2, 250];

/**
 * Asks again and again until it is so. What is answered later, as by the system's table of processes, is asked no more than a quarter of the
 * time: it must not be the load that is waited for.
 *
 * @param what What is waited for; a function is asked when the limit has passed, and can add what there was instead.
 * @throws Error – it was not so within the limit; the error says what was waited for.
 */
export async function waitUntil(
  what: string | (() => string),
  isSo: () => boolean | Promise<boolean>,
  limitMs: number,
): Promise<void> {
  const giveUpAt = performance.now() + limitMs;
  for (;;) {
    const askedAt = performance.now();
    const answer = isSo();
    if (await answer) return;
    const answeredAt = performance.now();
    if (answeredAt > giveUpAt) throw tooLate(typeof what === 'string' ? what : what(), limitMs);
    const tookMs = typeof answer === 'boolean' ? 0 : answeredAt - askedAt;
    await pause(Math.min(LATEST_MS, Math.max(SOONEST_MS, 3 * tookMs)));
  }
}

/** The error of who has waited long enough. */
export function tooLate(what: string, limitMs: number): Error {
  return new Error(`waited ${String(limitMs)} ms until ${what}`);
}
