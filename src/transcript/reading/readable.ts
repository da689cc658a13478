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
    throw at === -1 ? error : unreadable(nameOf(at), error);
  }
}

/** Reads something, and says what it was if that throws, unless it was said already: a getter or a proxy may throw anything. */
export function readingAs<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof TypeError && error.message.startsWith(name) ? error : unreadable(name, error);
  }
}

function unreadable(name: string, cause: unknown): TypeError {
  return new TypeError(`${name} could not be read`, { cause });
}

/** The name of a message in an error. */
export function messageAt(at: number): string {
  return `messages[${String(at)}]`;
}
