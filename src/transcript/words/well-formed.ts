/**
 * Texts without half a character: what was cut at some length may end inside of one, as an emoji is two units of UTF-16.
 * JSON writes the half as `\ud83d`, and strict readers, Anthropic's among them, refuse the whole request, and each after it.
 * Prior art: `String.prototype.toWellFormed`.
 *
 * @module
 */
import { isSameList } from '../reading/fields.ts';

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
  return repaired(value, new Map(), 0) as T;
}

/** How deep a text is looked for: what is nested deeper is no JSON for many readers anyway. */
const DEPTH = 1000;

/** @param made What became of each object: values are shared, and may hold themselves. */
function repaired(value: unknown, made: Map<object, unknown>, depth: number): unknown {
  if (typeof value === 'string') return isBroken(value) ? value.replace(halves, '\ufffd') : value;
  if (!isContainer(value) || depth > DEPTH) return value;
  if (made.has(value)) return made.get(value);
  made.set(value, value);
  const each = (one: unknown): unknown => repaired(one, made, depth + 1);
  let copy: unknown = value;
  if (Array.isArray(value)) {
    const items = (value as readonly unknown[]).map(each);
    if (!isSameList(items, value)) copy = items;
  } else {
    const pairs = Object.entries(value);
    const others = pairs.map((pair) => pair.map(each));
    if (!isSameList(others.flat(), pairs.flat())) copy = Object.fromEntries(others);
  }
  made.set(value, copy);
  return copy;
}

function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
