/**
 * A request that its client gave up after it had been sent: the client says so by an error, and nobody says what the server did.
 *
 * @module
 */
import { classify } from '../../foundation/classify/classify.ts';
import { createCancelledError } from '../../foundation/errors.ts';
import { neutralReasonText } from '../../foundation/reason.ts';
import type { CancellationToken } from '../cancellation-token.ts';
import { tellStopped } from '../tree/owner.ts';
import { tokenOf } from './linked-tokens.ts';

/**
 * What to throw for what the client threw: if that was because of the stop, a `CancelledError` whose `abandoned` names the request,
 * as over, else the same.
 *
 * @param token The request's own, or its call's.
 * @param name What it is called in the report.
 */
export function givenUp(token: CancellationToken, name: string, error: unknown): unknown {
  const { reason } = token;
  if (reason === undefined) return error;
  // Some clients keep of what a signal said its text alone.
  if (classify(error, token).reason !== reason && !String(error).includes(neutralReasonText)) return error;
  const abandoned = { name, isOver: true };
  tellStopped(tokenOf(token), { reason, abandoned });
  return createCancelledError(reason, { abandoned });
}
