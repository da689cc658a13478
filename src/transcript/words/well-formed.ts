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
  return holdsHalf(value) ? (repaired(value, new Map(), 0) as T) : value;
}

/** How many values are looked at before they are written down: in a message there are rarely more. */
const FEW = 100;

/** Without recursion: arguments may be nested deeper than the stack. */
function holdsHalf(value: unknown): boolean {
  // Values are shared, and may hold themselves.
  let seen: Set<unknown> | undefined;
  const open: unknown[] = [value];
  for (let count = 0; open.length > 0; count += 1) {
    const one = open.pop();
    if (typeof one === 'string') {
      if (isBroken(one)) return true;
    } else if (isContainer(one) && seen?.has(one) !== true) {
      if (count > FEW) (seen ??= new Set()).add(one);
      if (Array.isArray(one)) for (const item of one) open.push(item);
      else for (const key of Object.keys(one)) open.push(key, (one as Readonly<Record<string, unknown>>)[key]);
    }
  }
  return false;
}

/** How deep a repair goes; what is nested deeper is no JSON for many readers anyway. */
const DEPTH = 1000;

function repaired(value: unknown, made: Map<object, unknown>, depth: number): unknown {
  if (typeof value === 'string') return value.replace(halves, '\ufffd');
  if (!isContainer(value) || depth > DEPTH) return value;
  if (made.has(value)) return made.get(value);
  made.set(value, value);
  const copy: unknown = Array.isArray(value)
    ? Array.from(value as readonly unknown[], (one) => repaired(one, made, depth + 1))
    : Object.fromEntries(Object.entries(value).map((pair) => pair.map((one) => repaired(one, made, depth + 1))));
  made.set(value, copy);
  return copy;
}

function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
