/**
 * Keeps one instance of a class alive for the life of the process.
 * On the ground floor because every hot class wants it: a full collection that finds no live instance throws away the
 * class's layout, and with it every compiled function that knew it; the next thousand calls are several times slower.
 *
 * @module
 */

// Reachable from outside: a list that nobody reads is what a bundler takes out, and with it every call below.
const pinnedKey: unique symbol = Symbol.for('desist.pinned') as never;
const pinned = ((globalThis as { [pinnedKey]?: object[] | undefined })[pinnedKey] ??= []);

/** Holds an instance for the life of the process. */
export function pin(instance: object): void {
  pinned.push(instance);
}
