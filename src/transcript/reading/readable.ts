/**
 * Names what cannot be read: a getter that throws, a draft that was revoked.
 *
 * @module
 */
import { readableAll } from '../words/values.ts';

/**
 * Reads something, and says which of the values that it is made of could not be read if that throws.
 *
 * @throws TypeError – one of the values is unreadable; whatever else `read` throws.
 */
export function reading<T>(values: readonly unknown[], nameOf: (at: number) => string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const at = values.findIndex((one) => readableAll(one) !== one);
    if (at === -1) throw error;
    throw new TypeError(`${nameOf(at)} could not be read`, { cause: error });
  }
}

/** The name of a message in an error. */
export function messageAt(at: number): string {
  return `messages[${String(at)}]`;
}
