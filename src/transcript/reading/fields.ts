/**
 * Reads fields that a type does not promise: messages come from files, databases and other people's code.
 *
 * @module
 */

/** A field of an object whose type does not promise it. */
export function field(value: object, name: string): unknown {
  return (value as Record<string, unknown>)[name];
}

/** Whether a value is an object with fields rather than a list. */
export function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is an object that JSON has as one: no date, map or promise. */
export function isJsonObject(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]';
}

/** A text that says something; `undefined` for everything else. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether a content is there, and no empty list. */
export function isThere(content: unknown): boolean {
  return Array.isArray(content) ? content.length > 0 : (content ?? undefined) !== undefined;
}

/** A list of objects; empty for everything else. */
export function recordsIn(value: unknown): readonly object[] {
  if (!Array.isArray(value)) return [];
  // The list itself where it holds nothing else, as nearly always; unlike others this sees holes.
  return value.findIndex((one) => !isRecord(one)) === -1 ? (value as readonly object[]) : value.filter(isRecord);
}

/** The object that a text is the JSON of; `undefined` if it is none, or was cut. */
export function parseRecord(json: string): object | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The object without some of its fields; the same one if it has none of them. */
export function without<T extends object>(value: T, ...names: readonly string[]): T {
  const gone = names.filter((name) => name in value);
  if (gone.length === 0) return value;
  const rest = { ...value };
  for (const name of gone) Reflect.deleteProperty(rest, name);
  return rest;
}

/** Whether two lists hold the same values, in the same order. */
export function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, i) => value === other[i]);
}

/** Adds a value to the list that stands under a key. */
export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** The values that say different things, in their order. One alone is not written out to be compared: it may be long. */
export function distinct<T>(values: readonly T[], what: (value: T) => unknown = (value) => value): readonly T[] {
  if (values.length < 2) return values;
  return [...new Map(values.map((one) => [JSON.stringify(what(one)) as string | undefined, one])).values()];
}
