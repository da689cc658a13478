/**
 * The signal for a library that sends the reason on: it ends with the token, and says nothing of it.
 *
 * @module
 */
import { neutralReasonText } from '../../foundation/reason.ts';
import type { CancellationToken } from '../cancellation-token.ts';

/** A reason that says the same as text, as message and as JSON; named so that no library takes it for a failure. */
export function neutralReason(): Error {
  const reason = new Error(neutralReasonText);
  reason.name = 'AbortError';
  Object.defineProperty(reason, 'toString', { value: () => neutralReasonText });
  return reason;
}

/**
 * A signal of its own for one call: the token's signal carries the caller's words, and the library would send them on.
 *
 * @param token The call's own, released when the call ends: with it goes the only listener there is.
 */
export function wireSignal(token: CancellationToken): AbortSignal {
  const wire = new AbortController();
  token.onCancelled(() => {
    wire.abort(neutralReason());
  });
  return wire.signal;
}
