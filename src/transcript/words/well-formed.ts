/**
 * Texts without half a character: what was cut at some length may end inside of one, as an emoji is two units of UTF-16.
 * JSON writes the half as `\ud83d`, and strict readers, Anthropic's among them, refuse the whole request, and each after it.
 * Prior art: `String.prototype.toWellFormed`.
 *
 * @module
 */

/** One unit of two without the other: pairs are read as one character. */
const halves = /\p{Surrogate}/gu;

function isBroken(text: string): boolean {
  const { isWellFormed } = text as { readonly isWellFormed?: () => boolean };
  // The runtime's own is ten times as fast, where it has it.
  return isWellFormed === undefined ? text.search(halves) !== -1 : !isWellFormed.call(text);
}

/**
 * A value with U+FFFD in the place of each half character, in its texts and in its keys; the same object where there is
 * none. Only lists and plain objects are looked into: everything else is data of some class.
 */
export function wellFormed<T>(value: T): T {
  return holdsHalf(value, new Set()) ? (repaired(value, new Map()) as T) : value;
}

/** @param seen What has been looked at: values are shared, and may hold themselves. */
function holdsHalf(value: unknown, seen: Set<object>): boolean {
  if (typeof value === 'string') return isBroken(value);
  if (!isContainer(value) || seen.has(value)) return false;
  seen.add(value);
  if (Array.isArray(value)) return value.some((one) => holdsHalf(one, seen));
  for (const key of Object.keys(value)) {
    if (isBroken(key) || holdsHalf((value as Readonly<Record<string, unknown>>)[key], seen)) return true;
  }
  return false;
}

function repaired(value: unknown, made: Map<object, unknown>): unknown {
  if (typeof value === 'string') return value.replace(halves, '\ufffd');
  if (!isContainer(value)) return value;
  if (made.has(value)) return made.get(value);
  made.set(value, value);
  const copy: unknown = Array.isArray(value)
    ? Array.from(value as readonly unknown[], (one) => repaired(one, made))
    : Object.fromEntries(Object.entries(value).map((pair) => pair.map((one) => repaired(one, made))));
  made.set(value, copy);
  return copy;
}

function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
