/**
 * Where a cut reply stands among items, as it is or as another moment of the same stream.
 * Apart from reading one: here items are weighed that somebody may have repaired.
 *
 * @module
 */
import type { ToolOutcome } from '../from-core.ts';
import { addTo, field, textIn } from '../reading/fields.ts';
import type { Bounds } from '../reading/find-reply.ts';
import { formsOf } from '../reading/ids.ts';
import { originalsBeside } from '../reading/links.ts';
import { askedFor } from '../reading/recorded-call.ts';
import { isSendable, proseOf, sealOf, type Cut, type Stretch } from './cut-reply.ts';
import {
  callIdOf,
  hasWholeArguments,
  inputOf,
  isCall,
  isOutput,
  isProduced,
  isReasoning,
  isReply,
  nameOf,
  outputTypeOf,
  typeOf,
  type OpenAIResponsesItem,
} from './item.ts';

type Item = OpenAIResponsesItem;

/** What bounds a search. */
interface Range extends Bounds {
  readonly taken: readonly Stretch[];
  readonly idsOf: IdsOf;
}

/** What of a reply is its own and nobody else's: what the provider ran, and why, may have lost its place to a copy. */
function coreOf(kept: readonly Item[]): readonly Item[] {
  const core = kept.filter((item) => isReply(item) || isCall(item));
  return core.length > 0 ? core : kept.filter((item) => !isReasoning(item));
}

/** What the id of a call can be in a cut reply. */
export type IdsOf = (item: Item) => readonly (string | undefined)[];

/** What it is. */
export const ownId: IdsOf = (item) => [callIdOf(item)];

/** Also what a repair may have made it of, beside this ledger. */
export function anyIdBeside(outcomes: readonly ToolOutcome[]): IdsOf {
  const originalsOf = originalsBeside(outcomes);
  return (item) => originalsOf(callIdOf(item) ?? '');
}

/** Looks for a reply at these places, in this order; what is taken is another reply already. */
export function findReply(
  items: readonly Item[],
  { reply, kept }: Cut,
  places: readonly number[],
  { floor, before, taken, idsOf }: Range,
): Stretch | undefined {
  const core = coreOf(kept);
  const calls = core.filter(isCall);
  const wanted = new Set(calls.flatMap(formsOfCall));
  const isWanted = (call: Item): boolean => idsOf(call).some((id) => wanted.has(id));
  const outputs = new Set(
    calls.flatMap((call) => formsOfCall(call).map((id) => outputOf(outputTypeOf(typeOf(call)), id))),
  );
  const seals = new Set(reply.filter(isReasoning).map(sealOf));
  const ids = new Set(kept.map((item) => textIn(field(item, 'id'))));
  const isPassedOver = (item: Item): boolean => {
    if (isReasoning(item)) return seals.has(sealOf(item));
    // What was cut inside its arguments may have been pushed all the same.
    if (isCall(item)) return !isWanted(item) && reply.some((own) => isSameCall(own, item, idsOf));
    // The answer to a call of another reply may have been pushed between the calls of this one, and stays there.
    if (isOutput(item)) return !idsOf(item).some((id) => outputs.has(outputOf(typeOf(item), id)));
    return !isReply(item) && isProduced(item) && ids.has(textIn(field(item, 'id')));
  };
  for (const from of places) {
    const end = matchedEnd(items, before, core, from, isPassedOver, idsOf);
    if (end === undefined) continue;
    const start = startOf(items, from, floor);
    const isTaken = taken.some((other) => start < other.end && other.start < end);
    if (!isTaken) return { start, end };
  }
  return undefined;
}

/** Where a reply begins with the reasoning that led to its first item: that stays with it. */
export function startOf(items: readonly Item[], from: number, floor: number): number {
  let start = from;
  while (start > floor && isReasoning(items[start - 1] as Item)) start -= 1;
  return start;
}

/** Where a reply that begins at `from` ends, if it does begin there; some items in between are passed over. */
function matchedEnd(
  items: readonly Item[],
  before: number,
  core: readonly Item[],
  from: number,
  isPassedOver: (item: Item) => boolean,
  idsOf: IdsOf,
): number | undefined {
  let at = from;
  for (const [i, part] of core.entries()) {
    while (i > 0 && at < before && isPassedOver(items[at] as Item)) at += 1;
    const item = at < before ? items[at] : undefined;
    if (item === undefined || !isSameItem(item, part, idsOf)) return undefined;
    at += 1;
  }
  return at;
}

/** Where a reply ends with the calls below it that were cut inside their arguments, if they were pushed all the same. */
export function endWithHalves(
  items: readonly Item[],
  { reply, kept }: Cut,
  { end, before }: { readonly end: number; readonly before: number },
  idsOf: IdsOf,
): number {
  const whole = new Set(kept.filter(isCall).flatMap(formsOfCall));
  const isHalf = (item: Item): boolean =>
    !idsOf(item).some((id) => whole.has(id)) && reply.some((own) => isSameCall(own, item, idsOf));
  let at = end;
  while (at < before && isCall(items[at] as Item) && isHalf(items[at] as Item)) at += 1;
  return at;
}

/** Where replies may begin, and how many there are. */
export interface Places {
  /** Where a reply may begin, from the last place on. */
  of(cut: Cut, bounds: Bounds): readonly number[];
  /** How many replies begin there. */
  count(bounds: Bounds): number;
}

/**
 * Looks up where replies begin, by what the first item of one says, is called or is known by: a turn may have as many cut
 * replies as items. It grows as far up as somebody asks; of what stands above nothing is read.
 */
export function createPlaces(items: readonly Item[], idsOf: IdsOf): Places {
  const places = new Map<string, number[]>();
  /** How many replies begin at an index or behind it. */
  const counts: number[] = [];
  counts[items.length] = 0;
  let low = items.length;
  const readTo = (floor: number): void => {
    for (; low > floor; low -= 1) {
      const item = items[low - 1] as Item;
      for (const key of keysOf(item, idsOf)) addTo(places, key, low - 1);
      const before = items[low - 2];
      const isFirst = isProduced(item) && (before === undefined || !isProduced(before) || isNewReply(before, item));
      counts[low - 1] = (counts[low] as number) + (isFirst ? 1 : 0);
    }
  };
  return {
    of({ kept }, { floor, before }) {
      readTo(floor);
      const [first] = coreOf(kept);
      const lists = first === undefined ? [] : keysOf(first, formsOfCall).map((key) => places.get(key) ?? []);
      const all = lists.length === 1 ? (lists[0] as number[]) : [...new Set(lists.flat())].sort((a, b) => b - a);
      return all.filter((at) => at >= floor && at < before);
    },
    count({ floor, before }) {
      readTo(floor);
      return (counts[floor] as number) - (counts[before] as number);
    },
  };
}

/** Whether the model began anew: after its calls it says nothing more, until they are answered. */
export function isNewReply(before: Item, item: Item): boolean {
  return isCall(before) && (isReasoning(item) || isReply(item));
}

function keysOf(item: Item, idsOf: IdsOf): readonly string[] {
  if (isReply(item)) return [`reply ${String(proseOf(item).split('\n', 1)[0])}`];
  const ids = isCall(item) ? [...new Set(idsOf(item))] : [textIn(field(item, 'id'))];
  return ids.map((id) => `${typeOf(item)} ${String(id)}`);
}

/**
 * Whether the message at the end of a turn is this reply at another moment of its stream: one of the two begins like the
 * other.
 */
export function isOtherMoment(item: Item, { kept }: Cut): 'earlier' | 'later' | undefined {
  const [first, ...rest] = coreOf(kept);
  if (first === undefined || !isReply(item) || !isReply(first)) return undefined;
  const [own, prose] = [proseOf(item), proseOf(first)];
  if (own === '') return undefined;
  if (prose.startsWith(own)) return 'earlier';
  return rest.length === 0 && own.startsWith(prose) ? 'later' : undefined;
}

/** Whether an item is this part of a reply, perhaps repaired, and perhaps with a mark of somebody's below its text. */
function isSameItem(item: Item, part: Item, idsOf: IdsOf): boolean {
  if (typeOf(item) !== typeOf(part)) return false;
  if (isCall(part)) return isSameCall(part, item, idsOf) && isSendable(item);
  if (!isReply(part)) return field(item, 'id') === field(part, 'id');
  const prose = proseOf(part);
  return isReply(item) && (proseOf(item) === prose || proseOf(item).startsWith(`${prose}\n`));
}

/** What tells the answers to one reply's calls apart: ids may be shared between tools of several kinds. */
function outputOf(type: string, callId: string | undefined): string {
  return `${type} ${String(callId)}`;
}

function isSameCall(own: Item, item: Item, idsOf: IdsOf): boolean {
  // Ids come again in every round: a call that only the ledger has may have the id of one that was cut.
  const isIt = isCall(own) && isCall(item) && nameOf(own) === nameOf(item);
  if (isIt && hasWholeArguments(own) && hasWholeArguments(item) && askedFor(inputOf(own)) !== askedFor(inputOf(item)))
    return false;
  return isIt && idsOf(item).some((id) => formsOfCall(own).includes(id));
}

function formsOfCall(call: Item): readonly (string | undefined)[] {
  const id = callIdOf(call);
  return id === undefined ? [id] : formsOf(id);
}
