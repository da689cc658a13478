/**
 * What a tool was before guards and doors put it under a turn. Whoever puts it under one again begins with that, so that a call of it
 * is guarded once.
 *
 * @module
 */

/** What each was made of. */
const makings = /* @__PURE__ */ new WeakMap<object, object>();

/** Those whose calls have rows. */
const guarded = /* @__PURE__ */ new WeakSet();

/** Remembers of what something was made, to be called in its place. */
export function madeOf<T extends object>(made: T, of: object): T {
  makings.set(made, of);
  return made;
}

/** Remembers that calls of it have rows. */
export function markGuarded(tool: object): void {
  guarded.add(tool);
}

/** The tool as it came to the first who made something of it, if it is guarded by now, else the same. */
export function unguarded<T extends object>(tool: T): T {
  let isGuarded = false;
  let first: object = tool;
  for (let each: object | undefined = tool; each !== undefined; each = makings.get(each)) {
    isGuarded ||= guarded.has(each);
    first = each;
  }
  return isGuarded ? (first as T) : tool;
}
