/**
 * Which items make up one reply, which replies were cut, and which cut ones are still to be added.
 * This dialect's own, where the others share theirs: only here a reply is several messages, and nothing says where one
 * ends and the next begins.
 *
 * @module
 */
import type { IdPolicy } from '../dialect.ts';
import type { IdRule } from '../reading/ids.ts';
import type { Cause } from '../dialects/rules.ts';
import type { PartialOutput, ToolOutcome } from '../from-core.ts';
import { field, textIn } from '../reading/fields.ts';
import { isComplete, isSomething, noteUnread, type LayOptions, type Settled } from '../reading/partials.ts';
import type { TurnReader } from '../reading/turns.ts';
import { itemsOf, readCut, type Cut, type Stretch } from './cut-reply.ts';
import {
  createPlaces,
  endWithHalves,
  findReply,
  isNewReply,
  isOtherMoment,
  ownId,
  startOf,
  type IdsOf,
} from './find-reply.ts';
import { isCall, isProduced, isPrompt, isReasoning, isReply, sayText, type OpenAIResponsesItem } from './item.ts';

type Item = OpenAIResponsesItem;

/** Items that stand together: all of one reply, or one item of another kind. */
export interface Reply {
  readonly items: readonly Item[];
  /** The index of the first in the input; for a reply that was missing, the index before which it goes. */
  readonly at: number;
  /** The number of the model call whose reply this is, if it was missing. */
  readonly added: number | undefined;
  /** Why this reply was cut, if it was. */
  readonly cutBy: Cause | undefined;
  /** Only the border of a cut reply parts it from the one before: of a call in both, the first stays all the same. */
  readonly goesOn: boolean;
  /** The provider had said that it was finished: its calls never ran, but nothing of it is missing. */
  readonly isWhole?: boolean;
  /** It stands in a reply that was cut, which the server has not kept. */
  readonly isLost?: boolean;
  /** The row of the ledger whose call was missing, if this is that call. */
  readonly row?: ToolOutcome;
}

/** What is known besides, and where to write down what could not be read. */
export interface LayRepliesOptions extends LayOptions {
  /** How many of the items the server holds: nothing can be put between those. */
  readonly heldCount?: number | undefined;
  readonly ids: IdPolicy;
  /** What an id may be. */
  readonly rule?: IdRule | undefined;
  /** By what a call is known in a cut reply; by its id, if nothing else is said. */
  readonly idsOf?: IdsOf | undefined;
}

/** A stretch of the input that is a reply which was cut. */
interface Found extends Stretch {
  readonly cutBy: Cause;
  readonly isWhole: boolean;
}

/**
 * Lays the cut replies of a turn beside its items, each where it belongs: before the next one that is there already,
 * else at the end.
 *
 * One that a message of the user cut was handed to the caller, who may have pushed it anywhere; any other was thrown
 * away by the cut, so only what follows the last prompt is compared: the same words in an older turn are another reply.
 *
 * Replies are looked for among the items as they are once they are settled by themselves. Settling again begins with just
 * those, so it finds the same ones. One that the server holds is found as a part of what is held, before any other.
 *
 * @param alone The same items, settled without any partial.
 */
export function layReplies(
  items: readonly Item[],
  alone: readonly Settled<Item>[],
  partials: readonly PartialOutput[],
  { heldCount = 0, turnStart, note: noteUnreadable, ids: policy, rule, idsOf = ownId }: LayRepliesOptions,
): Reply[] {
  const found: Found[] = [];
  const missing: Reply[] = [];
  const settled = alone.map(({ message }) => message);
  const placeOf = (at: number): number => alone[at]?.from ?? items.length;
  const ids = new Set<unknown>(settled.flatMap((item) => textIn(field(item, 'id')) ?? []));
  const left = new Set(alone.map(({ from }) => from));
  const note = ({ start, end }: Stretch, cut: Cut): void => {
    let last = placeOf(endWithHalves(settled, cut, { end, before }, idsOf) - 1) + 1;
    // What the repair took from its end was a part of it.
    while (items[last] !== undefined && isProduced(items[last] as Item) && !left.has(last)) last += 1;
    found.push({ start: placeOf(start), end: last, cutBy: cut.reason, isWhole: isComplete(cut.value) });
  };
  /** The items in whose place a later moment of them goes. */
  const gone = new Set<number>();
  /** Stretches that are some reply already. */
  const taken: Stretch[] = [];
  const found0 = turnStart === undefined ? -1 : alone.findIndex(({ from }) => from >= turnStart);
  const start = turnStart === undefined ? undefined : found0 === -1 ? settled.length : found0;
  let before = settled.length;
  if (start !== undefined) while (before > start + 1 && isPrompt(settled[before - 1] as Item)) before -= 1;
  let prompt = settled.length;
  const floorOf = (): number => {
    if (prompt >= before) prompt = placeAfterPrompt(settled, before) - 1;
    return start ?? prompt + 1;
  };
  let afterPrompt = floorOf();
  const isByMessage = ({ reason }: Cut): boolean => reason.kind === 'interjection';
  const places = createPlaces(settled, idsOf);
  const isHeld = (cut: Cut): boolean => {
    const floor = isByMessage(cut) ? (start ?? 0) : afterPrompt;
    const held = [...places.of(cut, { floor, before: heldCount })].reverse();
    const stretch = findReply(settled, cut, held, { floor, before, taken, idsOf });
    if (stretch === undefined) return false;
    taken.push(stretch);
    note(stretch, cut);
    return true;
  };
  // What is held keeps its place whatever is added behind it. Sought first, and from its beginning, it is found again:
  // what was added cannot take a reply from it, nor it one from what was added.
  for (const partial of partials) {
    if (isSomething(partial.value) && itemsOf(partial.value) === undefined) {
      noteUnread(partial, items.length, noteUnreadable);
    }
  }
  const rest = partials.map((one) => readCut(one, policy, rule)).filter((cut) => cut.kept.length > 0 && !isHeld(cut));
  for (const cut of rest.reverse()) {
    const { kept, reason, modelCall } = cut;
    const isWhole = isComplete(cut.value);
    const floor = Math.max(heldCount, isByMessage(cut) ? (start ?? 0) : afterPrompt);
    const bounds = { floor, before };
    const whole = findReply(settled, cut, places.of(cut, bounds), { ...bounds, taken, idsOf });
    const last = before - 1;
    const isLast = whole === undefined && last >= floor && places.count(bounds) >= modelCall && !isByMessage(cut);
    // What has led to a call already is no moment of a longer text.
    const isOver = before < settled.length && isCall(settled[before] as Item);
    const moment = isLast && !isOver ? isOtherMoment(settled[last] as Item, cut) : undefined;
    const isLater = moment === 'later' && !isWhole;
    const stretch = whole ?? (isLater ? { start: startOf(settled, last, floor), end: before } : undefined);
    if (moment === 'earlier') {
      const outgrown = { start: last, end: before };
      // Thoughts that the partial does not have stay before it.
      const thoughts = new Set(kept.filter(isReasoning).map((item) => field(item, 'id')));
      while (outgrown.start > floor && isThoughtOf(settled[outgrown.start - 1] as Item, thoughts)) outgrown.start -= 1;
      taken.push(outgrown);
      for (let at = placeOf(outgrown.start); at <= placeOf(outgrown.end - 1); at += 1) gone.add(at);
      before = outgrown.start;
      missing.push({ items: kept, at: placeOf(before), added: modelCall, cutBy: reason, goesOn: false, isWhole });
      afterPrompt = floorOf();
    } else if (stretch === undefined) {
      // What the provider ran is known by its id: it is there once, wherever that is.
      const lacking = kept.filter((item) => isReply(item) || isCall(item) || !ids.has(field(item, 'id')));
      if (lacking.length > 0)
        missing.push({ items: lacking, at: placeOf(before), added: modelCall, cutBy: reason, goesOn: false, isWhole });
    } else {
      taken.push(stretch);
      note(stretch, cut);
      // Replies keep their order, so an earlier one stands further up.
      before = stretch.start;
      afterPrompt = floorOf();
    }
  }
  return merge(items, found, missing.reverse(), gone);
}

/** Puts what the model made in one go together, with the borders of what was found and the places of what was not. */
function merge(
  items: readonly Item[],
  found: readonly Found[],
  missing: readonly Reply[],
  gone: ReadonlySet<number> = new Set(),
): Reply[] {
  const borders = new Set(found.flatMap(({ start, end }) => [start, end]));
  const cuts = new Map(found.map(({ start, cutBy }) => [start, cutBy]));
  // What stands between its items parts a reply in two.
  const lost = new Set<number>();
  for (const { start, end, isWhole } of found) for (let at = start; at < end && !isWhole; at += 1) lost.add(at);
  const replies: Reply[] = [];
  let open: Item[] | undefined;
  let next = 0;
  for (let at = 0; at <= items.length; at += 1) {
    for (let one = missing[next]; one?.at === at; one = missing[next]) {
      replies.push(one);
      open = undefined;
      next += 1;
    }
    const item = items[at];
    if (item === undefined) break;
    if (gone.has(at)) continue;
    const goesOn = open !== undefined && isProduced(item) && !isNewReply(open.at(-1) as Item, item);
    if (goesOn && !borders.has(at)) {
      open?.push(item);
      continue;
    }
    const own = [item];
    replies.push({ items: own, at, added: undefined, cutBy: cuts.get(at), goesOn, isLost: lost.has(at) });
    open = isProduced(item) ? own : undefined;
  }
  return replies;
}

function placeAfterPrompt(items: readonly Item[], before: number): number {
  let at = before - 1;
  while (at >= 0 && !isPrompt(items[at] as Item)) at -= 1;
  return at + 1;
}

/** What is a prompt and what a reply here. */
export const responsesTurns: TurnReader<Item> = {
  isPrompt: (item) => isPrompt(item) && item.role === 'user',
  isReply,
  say: sayText,
};

function isThoughtOf(item: Item, ids: ReadonlySet<unknown>): boolean {
  return isReasoning(item) && ids.has(field(item, 'id'));
}
