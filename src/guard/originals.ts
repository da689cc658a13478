/**
 * What a tool was before guards and doors put it under a turn. Whoever puts it under one again begins with that, so that a call of it
 * is guarded once.
 *
 * @module
 */

/** What each was made of. */
const makings = /* @__PURE__ */ new WeakMap<object, object>();

/** Those whose calls have rows, and what they were guarded with. */
const guarded = /* @__PURE__ */ new WeakMap<object, object>();

/** Remembers of what something was made, to be called in its place. */
export function madeOf<T extends object>(made: T, of: object): T {
  makings.set(made, of);
  return made;
}

/** Remembers that calls of it have rows, and the options of its guard. */
export function markGuarded(tool: object, options: object): void {
  guarded.set(tool, options);
}

/** The tool as it came to the first who made something of it, if it is guarded by now, else the same. */
export function unguarded<T extends object>(tool: T): T {
  let first: object = tool;
  for (let each: object | undefined = tool; each !== undefined; each = makings.get(each)) first = each;
  return guardOf(tool) === undefined ? tool : (first as T);
}

/** What its last guard was given; `undefined` if it is not guarded. */
export function guardOf(tool: object): object | undefined {
  for (let each: object | undefined = tool; each !== undefined; each = makings.get(each)) {
    const options = guarded.get(each);
    if (options !== undefined) return options;
  }
  return undefined;
}
