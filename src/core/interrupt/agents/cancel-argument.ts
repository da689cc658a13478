/**
 * Reads what a cancel of an agent was given. A stop never fails because of what it was given: what makes no sense is
 * reported in words that say what to write instead, and the stop happens.
 *
 * @module
 */
import { isObject, show } from '../../foundation/check.ts';
import { fieldOf, reasonOfStop } from '../../foundation/reason-of-stop.ts';
import type { CancelReason, CancelReasonInit, CancelReasonLike } from '../../foundation/reason.ts';

/** The reason of a stop. `report` hears of misuse. */
export function readCancelArgument(
  input: CancelReasonLike | undefined,
  defaults: CancelReasonInit,
  report: (error: unknown) => void,
): CancelReason {
  const advice = adviceOn(input);
  if (advice !== undefined) report(new TypeError(advice));
  return reasonOfStop(input, defaults, report);
}

/** What somebody meant who aims a cancel by its argument. */
function adviceOn(input: unknown): string | undefined {
  if (input === 'all')
    return `cancel('all') stops the turn, with the message "all"; write cancelAll() to stop everything`;
  if (!isObject(input)) return undefined;
  const callId = fieldOf(input, 'callId');
  if (typeof callId === 'string') {
    return `cancel({ callId }) stops the turn; write cancelCall(${show(callId)}) to stop one call`;
  }
  if (fieldOf(input, 'turnId') !== undefined)
    return 'cancel({ turnId }) stops the turn that runs; write ticket.cancel() to stop one turn';
  return undefined;
}
