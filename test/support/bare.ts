/**
 * Tests of what others' packages do by themselves. They show what a door is for, and a new version of a package may turn one red; no change
 * of the product can, so `npm test` leaves them to `npm run test:all`.
 *
 * @module
 */
import { describe, it } from 'vitest';

import { isLong } from './long.ts';

/** Whether they are played. */
export const playsBare: boolean = isLong;

/** `it`, of something bare. */
export function itBare(title: string, run: () => Promise<void> | void, timeoutMs?: number): void {
  if (playsBare) it(title, run, timeoutMs);
}

/** `describe`, of something bare. */
export function describeBare(title: string, tests: () => void): void {
  if (playsBare) describe(title, tests);
}
