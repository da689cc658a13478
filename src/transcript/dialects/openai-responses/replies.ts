/**
 * Which items make up one reply, which replies were cut, and which cut ones are still to be added.
 * This dialect's own, where the others share theirs: only here a reply is several messages, and nothing says where one
 * ends and the next begins.
 *
 * @module
 */
import type { CancelReason } from '../../../core/foundation/reason.ts';
import type { PartialOutput } from '../../../core/interrupt/outcomes.ts';
import { field, isRecord, recordsIn, textIn } from '../../fields.ts';
import type { Settled } from '../../partials.ts';
import type { TurnReader } from '../../turns.ts';
import {
  callIdOf,
  hasWholeArguments,
  isAnswerable,
  isCall,
  isProduced,
  isPrompt,
  isReasoning,
  isReply,
  nameOf,
  textsOf,
  typeOf,
  type OpenAIResponsesItem,
} from './item.ts';

type Item = OpenAIResponsesItem;

/** Items that stand together: all of one reply, or one item of another kind. */
export interface Reply {
  readonly items: readonly Item[];
  /** The index of the first in the input; for a reply that was missing, the index before which it goes. */
  readonly at: number;
  /** The number of the model call whose reply this is, if it was missing. */
  readonly added: number | undefined;
  /** Why this reply was cut, if it was. */
  readonly cutBy: CancelReason | undefined;
}

/** Items that follow each other. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** A stretch of the input that is a reply which was cut. */
interface Found extends Stretch {
  readonly cutBy: CancelReason;
}

/** Where a reply may be found. */
interface Range {
  readonly floor: number;
  readonly before: number;
  readonly taken: readonly Stretch[];
}

/**
 * Lays the cut replies of a turn beside its items, each where it belongs: before the next one that is there already,
 * else at the end.
 *
 * One that a message of the user cut was handed to the caller, who may have pushed it anywhere; any other was thrown
 * away by the cut, so only what follows the last prompt is compared: the same words in an older turn are another reply.
 *
 * Replies are looked for among the items as they are once they are settled by themselves. Settling again begins with just
 * those, so it finds the same ones.
 *
 * @param alone The same items, settled without any partial.
 * @param heldCount How many of the items the server holds: nothing can be put between those.
 */
export function layReplies(
  items: readonly Item[],
  alone: readonly Settled<Item>[],
  partials: readonly PartialOutput[],
  heldCount = 0,
): Reply[] {
  const found: Found[] = [];
  const missing: Reply[] = [];
  const settled = alone.map(({ message }) => message);
  const placeOf = (at: number): number => alone[at]?.from ?? items.length;
  const ids = new Set<unknown>(settled.flatMap((item) => textIn(field(item, 'id')) ?? []));
  const left = new Set(alone.map(({ from }) => from));
  /** Stretches that are some reply already. */
  const taken: Stretch[] = [];
  let before = settled.length;
  let afterPrompt = placeAfterPrompt(settled, before);
  for (const { value, reason, modelCall } of [...partials].reverse()) {
    const reply = itemsOf(value);
    const kept = replayable(reply);
    if (kept.length === 0) continue;
    const floor = reason.kind === 'interjection' ? 0 : afterPrompt;
    const stretch = findReply(settled, reply, kept, { floor, before, taken });
    if (stretch === undefined) {
      // What the provider ran is known by its id: it is there once, wherever that is.
      const lacking = kept.filter((item) => isReply(item) || isCall(item) || !ids.has(field(item, 'id')));
      if (lacking.length > 0) {
        const at = Math.max(placeOf(before), heldCount);
        missing.push({ items: lacking, at, added: modelCall, cutBy: reason });
      }
    } else {
      taken.push(stretch);
      let end = placeOf(stretch.end - 1) + 1;
      // What the repair took from its end was a part of it.
      while (items[end] !== undefined && isProduced(items[end] as Item) && !left.has(end)) end += 1;
      found.push({ start: placeOf(stretch.start), end, cutBy: reason });
      // Replies keep their order, so an earlier one stands further up; or behind all that is held, if it was missing.
      if (placeOf(stretch.start) >= heldCount) before = stretch.start;
      afterPrompt = placeAfterPrompt(settled, stretch.start);
    }
  }
  return merge(items, found.reverse(), missing.reverse());
}

/** Puts what the model made in one go together, with the borders of what was found and the places of what was not. */
function merge(items: readonly Item[], found: readonly Found[], missing: readonly Reply[]): Reply[] {
  const borders = new Set(found.flatMap(({ start, end }) => [start, end]));
  const cuts = new Map(found.map(({ start, cutBy }) => [start, cutBy]));
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
    if (open !== undefined && isProduced(item) && !borders.has(at) && !isNewReply(open, item)) {
      open.push(item);
      continue;
    }
    const own = [item];
    replies.push({ items: own, at, added: undefined, cutBy: cuts.get(at) });
    open = isProduced(item) ? own : undefined;
  }
  return replies;
}

/** Whether the model began anew: after its calls it says nothing more, until they are answered. */
function isNewReply(open: readonly Item[], item: Item): boolean {
  return isCall(open.at(-1) as Item) && (isReasoning(item) || isReply(item));
}

function placeAfterPrompt(items: readonly Item[], before: number): number {
  let at = before - 1;
  while (at >= 0 && !isPrompt(items[at] as Item)) at -= 1;
  return at + 1;
}

/** A partial value as items: a text, a list of items, a response, or what a fold of a stream carries as its message. */
function itemsOf(value: unknown): readonly Item[] {
  if (typeof value === 'string') return [sayText(value)];
  if (Array.isArray(value)) return recordsIn(value).filter((item) => isProduced(item));
  if (!isRecord(value)) return [];
  const own = field(value, 'output') ?? field(value, 'message');
  return typeof own === 'object' ? itemsOf(own) : [];
}

/**
 * What of a cut reply can go back: no call that was cut inside its arguments, or that words cannot answer, and no
 * reasoning without what it led to. The server has not kept the response: nothing may be found by its id, and reasoning
 * that does not carry itself along is gone.
 */
function replayable(reply: readonly Item[]): readonly Item[] {
  const ids = new Set<string | undefined>();
  const isFirst = (id: string | undefined): boolean => id === undefined || (!ids.has(id) && Boolean(ids.add(id)));
  const kept = reply.map((item): Item | undefined => {
    if (isReply(item)) return proseOf(item) === '' ? undefined : withoutId(item);
    if (isCall(item))
      return isSendable(item) && isFirst(`call ${String(callIdOf(item))}`) ? withoutId(item) : undefined;
    if (isReasoning(item) && sealOf(item) === undefined) return undefined;
    return isFirst(textIn(field(item, 'id'))) ? item : undefined;
  });
  let isLed = false;
  return kept
    .reverse()
    .filter((item) => {
      isLed = item !== undefined && (isLed || !isReasoning(item));
      return isLed;
    })
    .reverse() as readonly Item[];
}

/** Whether a call can go back as it is. */
function isSendable(call: Item): boolean {
  return callIdOf(call) !== undefined && nameOf(call) !== undefined && hasWholeArguments(call) && isAnswerable(call);
}

function withoutId(item: Item): Item {
  const { id: _id, parsed_arguments: _parsed, ...rest } = item as Item & Readonly<Record<string, unknown>>;
  return rest;
}

/** What of a reply is its own and nobody else's: what the provider ran, and why, may have lost its place to a copy. */
function coreOf(kept: readonly Item[]): readonly Item[] {
  const core = kept.filter((item) => isReply(item) || isCall(item));
  return core.length > 0 ? core : kept.filter((item) => !isReasoning(item));
}

function findReply(
  items: readonly Item[],
  reply: readonly Item[],
  kept: readonly Item[],
  { floor, before, taken }: Range,
): Stretch | undefined {
  const core = coreOf(kept);
  const wanted = new Set(core.filter(isCall).map(callIdOf));
  const seals = new Set(reply.filter(isReasoning).map(sealOf));
  const ids = new Set(kept.map((item) => textIn(field(item, 'id'))));
  const earlier = items.slice(0, before);
  const isPassedOver = (item: Item): boolean => {
    if (isReasoning(item)) return seals.has(sealOf(item));
    // What was cut inside its arguments may have been pushed all the same.
    if (isCall(item)) return !wanted.has(callIdOf(item)) && reply.some((own) => isSameCall(own, item));
    return !isReply(item) && isProduced(item) && ids.has(textIn(field(item, 'id')));
  };
  for (let from = before - 1; from >= floor; from -= 1) {
    const end = matchedEnd(earlier, core, from, isPassedOver);
    if (end === undefined) continue;
    let start = from;
    // Reasoning stays with what it led to.
    while (start > floor && isReasoning(items[start - 1] as Item)) start -= 1;
    const isTaken = taken.some((other) => start < other.end && other.start < end);
    if (!isTaken) return { start, end };
  }
  return undefined;
}

/** Where a reply that begins at `from` ends, if it does begin there; some items in between are passed over. */
function matchedEnd(
  items: readonly Item[],
  core: readonly Item[],
  from: number,
  isPassedOver: (item: Item) => boolean,
): number | undefined {
  let at = from;
  for (const [i, part] of core.entries()) {
    while (i > 0 && items[at] !== undefined && isPassedOver(items[at] as Item)) at += 1;
    const item = items[at];
    if (item === undefined || !isSameItem(item, part)) return undefined;
    at += 1;
  }
  while (items[at] !== undefined && isCall(items[at] as Item) && isPassedOver(items[at] as Item)) at += 1;
  return at;
}

/** Whether an item is this part of a reply, perhaps repaired, and perhaps with a mark of somebody's below its text. */
function isSameItem(item: Item, part: Item): boolean {
  if (typeOf(item) !== typeOf(part)) return false;
  if (isCall(part)) return callIdOf(item) === callIdOf(part) && isSendable(item);
  if (!isReply(part)) return field(item, 'id') === field(part, 'id');
  const prose = proseOf(part);
  return isReply(item) && (proseOf(item) === prose || proseOf(item).startsWith(`${prose}\n`));
}

function isSameCall(item: Item, other: Item): boolean {
  return isCall(item) && callIdOf(item) === callIdOf(other);
}

function sealOf(item: Item): string | undefined {
  return isReasoning(item) ? textIn(field(item, 'encrypted_content')) : undefined;
}

/** All texts of a message, one per line, without the white space at their ends. */
function proseOf(item: Item): string {
  return textsOf(item)
    .map((text) => text.trimEnd())
    .filter((text) => text !== '')
    .join('\n');
}

/** A text as the model's own message. */
export function sayText(text: string): Item {
  const item = { type: 'message', role: 'assistant', content: text } as const;
  return item;
}

/** What is a prompt and what a reply here. */
export const responsesTurns: TurnReader<Item> = {
  isPrompt: (item) => isPrompt(item) && item.role === 'user',
  isReply,
  say: sayText,
  split: () => undefined,
};
