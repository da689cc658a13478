/**
 * Values that somebody is still going to read from: a response, a stream, an async iterable.
 *
 * @module
 */
import { isObject } from '../check.ts';

/** Whether somebody is still going to read from this value. */
export function isBody(value: unknown): value is object {
  if (!isObject(value)) return false;
  try {
    if (isStream(value)) return true;
    const body: unknown = (value as { body?: unknown }).body;
    return isObject(body) && isStream(body);
  } catch {
    // A getter that throws guards no body of ours.
    return false;
  }
}

function isStream(value: object): boolean {
  return (
    typeof (value as { getReader?: unknown }).getReader === 'function' ||
    typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function'
  );
}
