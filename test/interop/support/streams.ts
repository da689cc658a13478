/**
 * Recorded streams, for the accumulators of the SDKs and for the folds.
 *
 * @module
 */

/** Events as lines of JSON, which the helpers of OpenAI and Anthropic read. */
export function linesOf(events: readonly object[]): ReadableStream {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      for (const event of events) controller.enqueue(encoder.encode(`${JSON.stringify(event)}\n`));
      controller.close();
    },
  });
}

/** Whether a value was left off on the way to another: texts and lists may end earlier, objects may lack fields, null is none yet. */
export function isBeginningOf(value: unknown, whole: unknown): boolean {
  if (typeof value === 'string' && typeof whole === 'string') return whole.startsWith(value);
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    return Array.isArray(whole) && list.every((one, at) => at < whole.length && isBeginningOf(one, whole[at]));
  }
  if (value === null) return true;
  if (typeof value !== 'object') return Object.is(value, whole);
  if (typeof whole !== 'object' || whole === null) return false;
  return Object.entries(value).every(([name, one]) => isBeginningOf(one, (whole as Record<string, unknown>)[name]));
}
