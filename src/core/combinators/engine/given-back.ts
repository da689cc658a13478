/**
 * Time that nobody could use: the process was stopped, the machine slept, or work held the event loop. Timers are served
 * before what was read and written in it, so that a limit on waiting would pass before anybody could answer.
 *
 * @module
 */
import type { Clock } from '../../foundation/clock.ts';

/** A timer that fires later than this was kept waiting. */
const BLOCKED_MS = 50;

/**
 * How long a wait goes on whose timer fires now and was due at `dueAt`: as long as the timer was late, and no longer than
 * the wait itself. 0 if it came in time.
 */
export function givenBackMs(clock: Clock, dueAt: number, limitMs: number): number {
  const lateMs = clock.now() - dueAt;
  return lateMs < BLOCKED_MS ? 0 : Math.min(lateMs, limitMs);
}
