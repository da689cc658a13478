/**
 * Names what cannot be read: a getter that throws, a draft that was revoked.
 *
 * @module
 */

/** Reads something, and says what it was if that throws, unless it was said already: a getter or a proxy may throw anything. */
export function readingAs<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const isSaid = error instanceof TypeError && error.message.startsWith(name);
    throw isSaid ? error : new TypeError(`${name} could not be read`, { cause: error });
  }
}

/** Does something with each message, holes too, and says which of them could not be read. */
export function mapMessages<M, T>(messages: readonly M[], each: (message: M, name: string) => T): T[] {
  return Array.from(messages, (message, at) => {
    const name = `messages[${String(at)}]`;
    return readingAs(name, () => each(message, name));
  });
}
