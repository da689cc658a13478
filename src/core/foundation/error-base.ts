/**
 * What errors are made with: the class they extend, and how they come without a stack. A cancel is an answer, not a defect,
 * and a trace costs several microseconds.
 *
 * @module
 */

/**
 * `Error`, to extend. Behind a constant, for a bundler that cannot know whether reading a global does something keeps a
 * class that reads one, and with it everything the class mentions, used or not.
 */
export const BaseError: ErrorConstructor = Error;

/** Makes an error with no stack unless one was asked for. The limit is V8's; elsewhere the engine captures what it likes. */
export function withoutStack<T>(captureStack: boolean, make: () => T): T {
  if (captureStack) return make();
  const host = Error as { stackTraceLimit?: number };
  const before = host.stackTraceLimit;
  if (before === undefined) return make();
  try {
    host.stackTraceLimit = 0;
  } catch {
    return make(); // a hardened realm froze Error
  }
  try {
    return make();
  } finally {
    host.stackTraceLimit = before;
  }
}
