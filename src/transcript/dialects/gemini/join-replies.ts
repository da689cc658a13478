/**
 * Replies that follow each other: the API wants a turn of the user before calls.
 *
 * @module
 */
import { addJoined, type Joins } from '../../reading/join-messages.ts';
import { callOf, isModel, partsOf, saidIn, type GeminiContent } from './content.ts';

/** What stands before a call that would begin the conversation. */
const OPENING = '[The beginning of this conversation is not shown.]';

/** A turn with calls takes in what the model said directly before it; all others stay as they are. */
export const joins: Joins<GeminiContent> = {
  isOne: (before, content) => isModel(before) && calls(content),
  opening: (content) => (calls(content) ? { role: 'user', parts: [{ text: OPENING }] } : undefined),
  add: addJoined,
  join(run) {
    const parts = partsOf(run.at(-1) as GeminiContent);
    return { ...run[0], parts: [...run.slice(0, -1).flatMap(partsOf), ...separator(parts), ...parts] };
  },
};

function calls(content: GeminiContent): boolean {
  return isModel(content) && partsOf(content).some((part) => callOf(part) !== undefined);
}

/** What keeps a reply that begins with a call apart from the reply before it in one turn: the call is not that one's. */
function separator(parts: readonly object[]): readonly object[] {
  const first = parts.find((part) => callOf(part) !== undefined || saidIn(part) !== undefined);
  return first === undefined || callOf(first) === undefined ? [] : [{ text: '\n' }];
}
