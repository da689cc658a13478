/**
 * The checks of constraints that the arbitraries share.
 *
 * @module
 */
import { inspect } from 'node:util';

/** A value that was given, for the words of an error. */
export function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : inspect(value, { depth: 0 });
}

/**
 * Refuses a list of choices that is empty, or has one that does not exist.
 *
 * @throws TypeError – it is.
 */
export function requireChoices(what: string, given: readonly string[] | undefined, known: readonly string[]): void {
  if (given === undefined) return;
  if (!(Array.isArray as (value: unknown) => boolean)(given))
    throw new TypeError(`${what} must be a list, got ${shown(given)}`);
  if (given.length === 0) throw new TypeError(`${what} must name at least one`);
  const strange = given.find((one) => !known.includes(one));
  if (strange !== undefined) throw new TypeError(`${what} names ${shown(strange)}, which does not exist`);
}

/**
 * Refuses what is no count of at least one.
 *
 * @throws RangeError – it is none.
 */
export function requireCount(what: string, given: number): void {
  if (Number.isSafeInteger(given) && given >= 1) return;
  throw new RangeError(`${what} must be a whole number from 1, got ${shown(given)}`);
}
