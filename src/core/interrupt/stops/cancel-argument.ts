/**
 * Reads what a cancel of an agent was given. A stop never fails because of what it was given: what makes no sense is
 * reported in words that say what to write instead, and the stop happens.
 *
 * @module
 */
import { isObject, show } from '../../foundation/check.ts';
import { fieldOf, reasonOfStop } from '../../foundation/reason-of-stop.ts';
import { isError, type CancelReason, type CancelReasonInit, type CancelReasonLike } from '../../foundation/reason.ts';

/** What was called: one that stops the turn, one that stops a call, or one that stops everything. */
export type StopVerb = 'cancel' | 'kill' | 'cancelCall' | 'all';

/** The reason of a stop. `report` hears of misuse. */
export function readCancelArgument(
  input: CancelReasonLike | undefined,
  defaults: CancelReasonInit,
  report: (error: unknown) => void,
  verb: StopVerb = 'cancel',
): CancelReason {
  const advice = adviceOn(input, verb);
  if (advice !== undefined) report(new TypeError(advice));
  // Words are of the same kind wherever they are said: a person's stop is one that says so.
  return reasonOfStop(input, isWords(input) ? { ...defaults, kind: undefined } : defaults, report);
}

/** A text, or an error, which has one. */
function isWords(input: unknown): boolean {
  try {
    return typeof input === 'string' || (isObject(input) && isError(input));
  } catch {
    return false; // Nobody can read it.
  }
}

/** What somebody meant who aims a stop by its argument, where the verb that was called does something else. */
function adviceOn(input: unknown, verb: StopVerb): string | undefined {
  if (verb === 'all') return undefined;
  if (verb === 'cancelCall') return undefined;
  const everything = verb === 'kill' ? `kill(reason, { all: true })` : 'cancelAll()';
  if (input === 'all')
    return `${verb}('all') stops the turn, with the message "all"; write ${everything} to stop everything`;
  if (!isObject(input)) return undefined;
  const callId = fieldOf(input, 'callId');
  if (typeof callId === 'string')
    return `${verb}({ callId }) stops the turn; write cancelCall(${show(callId)}) to stop one call`;
  if (fieldOf(input, 'turnId') !== undefined)
    return `${verb}({ turnId }) stops the turn that runs; write ticket.cancel() to stop one turn`;
  return undefined;
}
