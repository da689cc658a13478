/**
 * What an abort that somebody else made is called here.
 *
 * @module
 */
import { isKind } from './cancel-kind.ts';
import { isObject } from './check.ts';
import { isCancelledError, isDeadlineExceededError, type CancelledError } from './errors.ts';
import { createReason, isCancelReason, isError, saidBy, type CancelReason, type CancelReasonInit } from './reason.ts';

/** What an abort was given: the reason, and our own error if it was one. A value that cannot be read says nothing. */
export function readAbort(value: unknown): { readonly reason: CancelReason; readonly error?: CancelledError } {
  try {
    return isCancelledError(value) ? { reason: value.reason, error: value } : { reason: reasonOf(value) };
  } catch {
    return { reason: createReason({ cause: value }) };
  }
}

/** Our own reason if the value carries one, or the one whose kind it says; else its words. The value is the cause. */
function reasonOf(value: unknown): CancelReason {
  if (isCancelReason(value)) return value;
  if (isDeadlineExceededError(value)) return value.reason;
  // As `cancel` of a source would read it.
  if (!saysKind(value)) return createReason(saidBy(value));
  try {
    return createReason(value, { cause: value });
  } catch {
    // What else it says makes no sense.
    return createReason({ ...saidBy(value), kind: (value as CancelReasonInit).kind });
  }
}

/** A word that is a kind, or data with one; what an error calls its kind is something else. */
function saysKind(value: unknown): value is string | CancelReasonInit {
  if (typeof value === 'string') return createReason(value).kind !== 'unknown';
  return isObject(value) && !isError(value) && isKind((value as { readonly kind?: unknown }).kind);
}
