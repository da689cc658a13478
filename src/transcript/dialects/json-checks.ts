/**
 * What the checkers ask of a value. Apart from the repairs, with which a checker shares no code: a fault of the one would
 * hide that of the other.
 *
 * @module
 */

/** Whether a value is an object, and no list. */
export function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a text that can be read as JSON. */
export function isJsonText(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a content is missing, or a list of nothing. */
export function isMissing(content: unknown): boolean {
  return content === undefined || content === null || (Array.isArray(content) && content.length === 0);
}

/** Whether half of a character stands in any text of a value: JSON has no other way to write one than by its number. */
export function holdsHalf(value: unknown): boolean {
  try {
    return /(?:^|[^\\])(?:\\\\)*\\ud[89a-f]/.test(JSON.stringify(value, withoutBytes));
  } catch {
    return false; // no JSON: whatever is wrong with it, it is not this
  }
}

function withoutBytes(_key: string, value: unknown): unknown {
  return ArrayBuffer.isView(value) ? undefined : value;
}
