/**
 * What an abort that somebody else made is called here.
 *
 * @module
 */
import { isCancelledError, isDeadlineExceededError, type CancelledError } from './errors.ts';
import { createReason, isCancelReason, saidBy, type CancelReason } from './reason.ts';

/** What an abort was given: the reason, and our own error if it was one. A value that cannot be read says nothing. */
export function readAbort(value: unknown): { readonly reason: CancelReason; readonly error?: CancelledError } {
  try {
    return isCancelledError(value) ? { reason: value.reason, error: value } : { reason: reasonOf(value) };
  } catch {
    return { reason: createReason({ cause: value }) };
  }
}

/** Our own reason if the value carries one, else the value's words, with the value itself as the cause. */
function reasonOf(value: unknown): CancelReason {
  if (isCancelReason(value)) return value;
  if (isDeadlineExceededError(value)) return value.reason;
  // One string, one kind: as `cancel('user')` of a source would read it.
  const { kind } = typeof value === 'string' ? createReason(value) : {};
  return createReason(kind === undefined || kind === 'unknown' ? saidBy(value) : { kind, cause: value });
}
