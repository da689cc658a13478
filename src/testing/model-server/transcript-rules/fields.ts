/**
 * Reading bodies that may hold anything.
 *
 * @module
 */

/** An object of a request. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is an object with fields. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list; none if it is no list. */
export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** Those of one type. */
export function ofType(blocks: readonly Fields[], type: string): readonly Fields[] {
  return blocks.filter((block) => block['type'] === type);
}

/** Whether a text says nothing. */
export function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}

/** Whether a value is the text of a JSON value. */
export function isJSON(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
