/**
 * What an abort that somebody else made is called here.
 * On the ground floor because the token room and `classify` both meet foreign signals and must agree on them.
 *
 * @module
 */
import { isCancelledError, isDeadlineExceededError } from './errors.ts';
import { createReason, isCancelReason, type CancelReason } from './reason.ts';

/** Our own reason if the value carries one, else the value's words, with the value itself as the cause. */
export function reasonOfAbort(value: unknown): CancelReason {
  if (isCancelReason(value)) return value;
  if (isCancelledError(value) || isDeadlineExceededError(value)) return value.reason;
  const fields = typeof value === 'object' && value !== null ? (value as { name?: unknown; message?: unknown }) : {};
  const message = typeof value === 'string' ? value : fields.message;
  return createReason({
    kind: fields.name === 'TimeoutError' ? 'deadline' : 'unknown',
    message: typeof message === 'string' && message !== '' ? message : undefined,
    cause: value ?? undefined,
  });
}
