/**
 * The way on where a turn is dropped that the server holds: back to the response before it, if that is known, and else
 * through the turn, whose calls have to be answered.
 *
 * @module
 */
import type { HeldResponse, HeldState } from '../../held-conversation.ts';
import { field } from '../../reading/fields.ts';
import {
  callIdOf,
  callTypeOf,
  isCall,
  isOutput,
  isProduced,
  isPrompt,
  typeOf,
  type OpenAIResponsesItem,
} from '../item.ts';
import { isAmong } from './held-count.ts';

type Item = OpenAIResponsesItem;

/**
 * What the server holds without a turn; `undefined` if it is not known what came before it.
 *
 * @param kept What came before the turn.
 * @param dropped The turn.
 */
export function heldBefore(held: HeldState, kept: readonly Item[], dropped: readonly Item[]): HeldState | undefined {
  const { responses } = held;
  const [isKept, isDropped] = [isAmong(kept), isAmong(dropped)];
  const isBefore = ({ output = [] }: HeldResponse): boolean => output.some(isKept) && !output.some(isDropped);
  let count = responses.length;
  while (count > 0 && !isBefore(responses[count - 1] as HeldResponse)) count -= 1;
  if (count === responses.length) return held;
  return count > 0 ? { responses: responses.slice(0, count) } : heldByFirst(held, kept, dropped);
}

/** The same by the word of the turn's first response. */
function heldByFirst(
  { responses, conversation }: HeldState,
  kept: readonly Item[],
  dropped: readonly Item[],
): HeldState | undefined {
  const { previous_response_id: id, output = [] } = responses[0] as HeldResponse;
  const made = dropped.find(isProduced);
  if (made !== undefined && !isAmong(output)(made)) return undefined; // the turn had one before it
  if (id === null && conversation === undefined) return { responses: [] };
  // All that stands there counts as held: what only requests of the turn had sent must not be among it.
  const last = kept.reduce((found, item, at) => (isProduced(item) ? at : found), -1);
  const areInstructions = kept.slice(last + 1).every((item) => isPrompt(item) && item.role !== 'user');
  return typeof id === 'string' && areInstructions ? { responses: [{ id }] } : undefined;
}

/** The answers to what is not in this input: to what the server holds. */
export function answersIn(input: readonly Item[]): Item[] {
  const own = new Set(input.map(keyOf));
  return input.filter((item) => {
    if (item.type === 'mcp_approval_response')
      return !own.has(`question ${String(field(item, 'approval_request_id'))}`);
    return isOutput(item) && !own.has(`${callTypeOf(typeOf(item))} ${String(callIdOf(item))}`);
  });
}

function keyOf(item: Item): string {
  return isCall(item) ? `${typeOf(item)} ${String(callIdOf(item))}` : `question ${String(field(item, 'id'))}`;
}
