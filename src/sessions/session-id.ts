/**
 * What names a session, over all processes.
 *
 * @module
 */
import { wrongType } from '../core/foundation/check.ts';

/** Refuses what is no id. */
export function requireId(id: unknown): void {
  if (typeof id !== 'string' || id === '') throw wrongType('id', 'a string that is not empty', id);
  // Engines keep UTF-8, in which all of these are the same.
  if (/\p{Surrogate}/u.test(id)) throw wrongType('id', 'a string without half a surrogate pair', id);
}
