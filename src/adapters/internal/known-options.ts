/**
 * Refuses options that nobody knows: a misspelt one would be as silent as none.
 *
 * @module
 */
import { isObject, show } from '../../core/inside.ts';

/**
 * @param name Of the function that takes them.
 * @throws TypeError – no object, or an option that is not among the known, by name.
 */
export function requireKnown(name: string, options: unknown, known: Iterable<string>): void {
  if (!isObject(options)) throw new TypeError(`options of ${name} must be an object, got ${show(options)}`);
  const names = new Set(known);
  for (const option of Object.keys(options)) {
    if (!names.has(option)) throw new TypeError(`${name} has no option ${JSON.stringify(option)}`);
  }
}
