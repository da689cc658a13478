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
