/**
 * What a person's decision about a call says about it, where nobody kept another record.
 * Apart from the two kinds of message, which keep the decision in different places.
 *
 * @module
 */
import type { UnansweredCall } from '../../words/answers.ts';
import type { Cause } from '../rules.ts';
import { field, textIn } from '../../reading/fields.ts';

/**
 * Adds to what is known about a call: one that was asked about and not decided did not run, nor did one that was
 * refused.
 *
 * @param decision The object that holds the decision; `undefined` if nobody was asked. Without `approved` nobody decided.
 * @param reason Why the turn ended.
 */
export function withDecision(
  known: UnansweredCall,
  decision: object | undefined,
  reason: Cause | undefined,
): UnansweredCall {
  if (known.row !== undefined || decision === undefined) return known;
  const approved = field(decision, 'approved');
  if (approved === true) return known;
  if (approved !== false) {
    return { ...known, cutBy: known.cutBy ?? reason ?? { kind: 'unknown' } };
  }
  const userMessage = textIn(field(decision, 'reason'));
  const row = { id: '', name: known.name, call: undefined, ms: 0, status: 'declined' as const };
  return { ...known, row: userMessage === undefined ? row : { ...row, userMessage } };
}
