/**
 * Which items make up one reply: only here a reply is several messages, and nothing says where one ends and the next begins.
 *
 * @module
 */
import type { Cut, TurnReader } from '../dialects/rules.ts';
import { isCall, isProduced, isPrompt, isReasoning, isReply, sayText, type OpenAIResponsesItem } from './item.ts';

type Item = OpenAIResponsesItem;

/** Items that stand together: all of one reply, or one item of another kind. */
export interface Reply {
  readonly items: readonly Item[];
  /** The index of the first in the input. */
  readonly at: number;
  /** How this reply was cut, if it was. */
  readonly cut: Cut | undefined;
}

/**
 * Puts what the model made in one go together.
 *
 * @param cut How the last reply was cut: all that the model's side made at the end.
 */
export function repliesIn(items: readonly Item[], cut?: Cut): readonly Reply[] {
  const replies: Reply[] = [];
  const cutFrom = cut === undefined ? items.length : items.map(isPrompt).lastIndexOf(true) + 1;
  let open: Item[] | undefined;
  items.forEach((item, at) => {
    if (at > cutFrom) {
      open?.push(item);
      return;
    }
    if (open !== undefined && at < cutFrom && isProduced(item) && !isNewReply(open.at(-1) as Item, item)) {
      open.push(item);
      return;
    }
    const own = [item];
    replies.push({ items: own, at, cut: at === cutFrom ? cut : undefined });
    open = at === cutFrom || isProduced(item) ? own : undefined;
  });
  return replies;
}

/** Whether the model began anew: after its calls it says nothing more, until they are answered. */
function isNewReply(before: Item, item: Item): boolean {
  return isCall(before) && (isReasoning(item) || isReply(item));
}

/** What is a prompt and what a reply here. */
export const responsesTurns: TurnReader<Item> = {
  isPrompt: (item) => isPrompt(item) && item.role === 'user',
  isReply,
  say: sayText,
};
