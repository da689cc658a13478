/**
 * What guards of a state do to everything in it.
 *
 * @module
 */

/** Freezes a value and all that its own properties lead to. */
export function deepFreeze<T>(root: T): T {
  const open: unknown[] = [root];
  const seen = new Set<unknown>();
  while (open.length > 0) {
    const value = open.pop();
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
    seen.add(value);
    Object.freeze(value);
    for (const key of Reflect.ownKeys(value)) open.push((Object.getOwnPropertyDescriptor(value, key) ?? {}).value);
  }
  return root;
}
