/**
 * Refuses options that are none, and those that nobody knows: a misspelt one would be as silent as none.
 *
 * @module
 */
import { isObject, requireRecord, show } from '../../core/inside.ts';

/**
 * @param what What they are called, as in the signature.
 * @throws TypeError – no object; `null` is none.
 */
export function requireOptions(what: string, options: unknown): asserts options is object {
  if (!isObject(options)) throw new TypeError(`${what} must be an object, got ${show(options)}`);
}

/**
 * @param name Of the function that takes them.
 * @throws TypeError – no object, or an option that is not among the known, by name.
 */
export function requireKnown(name: string, options: unknown, known: Iterable<string>): void {
  requireOptions(`options of ${name}`, options);
  requireRecord(`options of ${name}`, options);
  if ('throwIfCancelled' in options)
    throw new TypeError(`options of ${name} must be an object of options, and a token is an argument of its own`);
  const names = new Set(known);
  for (const option of Object.keys(options)) {
    if (!names.has(option)) throw new TypeError(`${name} has no option ${JSON.stringify(option)}`);
  }
}
