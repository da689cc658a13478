/**
 * The options that every door with presses has, checked in one place.
 *
 * @module
 */
import { type Clock, requireFunction, requireMs, show, systemClock } from '../../../core/inside.ts';
import type { EscapeMode, NextEscape } from './press-machine.ts';
import type { FrontSession } from './press-target.ts';

/** Every mode there is. */
export const escapeModes: readonly EscapeMode[] = ['single', 'double', 'tiered'];

/** Two presses within so many milliseconds are a pair. */
export const defaultDoubleMs = 500;
/** Two Ctrl+C within so many milliseconds leave the program. */
export const defaultLeaveMs = 2000;

/** One of these words, or `false` for "leave it alone"; the first where nothing was said. */
export function requireSwitch<T extends string>(
  name: string,
  value: T | false | undefined,
  words: readonly T[],
): T | false {
  if (value === undefined) return words[0] as T;
  if (value === false || words.includes(value)) return value;
  throw new TypeError(`${name} must be ${words.map((word) => `'${word}'`).join(', ')} or false, got ${show(value)}`);
}

/** Functions that may be left out, by name. */
export function requireFunctions(functions: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(functions)) {
    if (value !== undefined) requireFunction(name, value);
  }
}

/** What two doors call differently is named by them. */
export interface PressOptions {
  readonly doubleMs?: number | undefined;
  readonly front?: (() => FrontSession | undefined) | undefined;
  readonly clock?: Clock | undefined;
  readonly armed: readonly [name: string, hint: ((next: NextEscape | undefined) => void) | undefined];
}

/** The same, nothing left out. */
export interface ResolvedPressOptions {
  readonly doubleMs: number;
  readonly front: (() => FrontSession | undefined) | undefined;
  readonly clock: Clock;
  readonly onEscapeArmed: ((next: NextEscape | undefined) => void) | undefined;
}

/**
 * Fills in the defaults.
 *
 * @throws TypeError – of the wrong type. RangeError – a negative or infinite duration.
 */
export function resolvePressOptions({ doubleMs, front, clock, armed }: PressOptions): ResolvedPressOptions {
  const [hintName, onEscapeArmed] = armed;
  requireFunctions({ front, [hintName]: onEscapeArmed });
  return {
    doubleMs: requireMs('doubleMs', doubleMs ?? defaultDoubleMs, 'finite'),
    front,
    clock: clock ?? systemClock,
    onEscapeArmed,
  };
}
