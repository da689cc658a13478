/**
 * One cut reply by itself: its items, what of them can go back, and whether it stands at some place already.
 * Apart from laying replies, which weighs several of them against each other.
 *
 * @module
 */
import type { IdPolicy } from '../dialect.ts';
import type { PartialOutput, ToolOutcome } from '../from-core.ts';
import { field, isRecord, recordsIn, textIn } from '../reading/fields.ts';
import { formsOf, type IdRule } from '../reading/ids.ts';
import { originalsBeside } from '../reading/links.ts';
import { askedFor } from '../reading/recorded-call.ts';
import { withIds } from './ids.ts';
import {
  callIdOf,
  hasWholeArguments,
  inputOf,
  isAnswerable,
  isCall,
  isOutput,
  isProduced,
  isPrompt,
  isReasoning,
  isRemote,
  isReply,
  nameOf,
  outputTypeOf,
  sayText,
  textsOf,
  typeOf,
  type OpenAIResponsesItem,
} from './item.ts';

type Item = OpenAIResponsesItem;

/** Items that follow each other. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** A cut reply, and what of it can go back. */
export interface Cut extends PartialOutput {
  readonly reply: readonly Item[];
  readonly kept: readonly Item[];
}

/** What bounds a search. */
interface Range {
  readonly floor: number;
  readonly before: number;
  readonly taken: readonly Stretch[];
  readonly idsOf: IdsOf;
}

/** Reads a partial, whose calls get the ids that they have in the transcript. */
export function readCut(partial: PartialOutput, ids: IdPolicy, rule?: IdRule): Cut {
  const reply = withIds(itemsOf(partial.value) ?? [], ids, () => undefined, { rule });
  return { ...partial, reply, kept: replayable(reply) };
}

/**
 * A partial value as items: a text, an item, a list of items, a response, or what a fold of a stream carries as its
 * message; `undefined` for everything else.
 */
export function itemsOf(value: unknown): readonly Item[] | undefined {
  if (typeof value === 'string') return value === '' ? [] : [sayText(value)];
  if (Array.isArray(value)) return producedIn(recordsIn(value));
  if (!isRecord(value)) return undefined;
  if (isProduced(value)) return [value];
  const own = field(value, 'output') ?? field(value, 'message');
  return own === undefined ? undefined : itemsOf(own);
}

/** What the model's side made: also the output of what the provider ran itself. */
function producedIn(items: readonly Item[]): readonly Item[] {
  const remote = new Set(items.filter((item) => isCall(item) && isRemote(item)).map(callIdOf));
  return items.filter((item) => isProduced(item) || (isOutput(item) && remote.has(callIdOf(item))));
}

/**
 * All that a whole response holds: everything in it was made on the provider's side, also what is of a kind that nobody
 * knows yet; `undefined` for everything else.
 */
export function responseItems(value: unknown): readonly Item[] | undefined {
  const output =
    isRecord(value) && !isProduced(value) ? (field(value, 'output') ?? field(value, 'message')) : undefined;
  return Array.isArray(output) ? recordsIn(output).filter((item) => !isPrompt(item)) : itemsOf(value);
}

/**
 * What of a cut reply can go back: no call that was cut inside its arguments, or that words cannot answer, and no
 * reasoning without what it led to. The server has not kept the response: nothing may be found by its id, and reasoning
 * that does not carry itself along is gone.
 */
export function replayable(reply: readonly Item[]): readonly Item[] {
  const ids = new Set<string | undefined>();
  const isFirst = (id: string | undefined): boolean => id === undefined || (!ids.has(id) && Boolean(ids.add(id)));
  const outputs = new Set(reply.filter(isOutput).map(callIdOf));
  const kept = reply.map((item): Item | undefined => {
    if (isReply(item)) return proseOf(item) === '' ? undefined : withoutId(item);
    if (isCall(item) && isRemote(item) && !outputs.has(callIdOf(item))) return undefined;
    if (isCall(item))
      return isSendable(item) && isFirst(`call ${String(callIdOf(item))}`) ? withoutId(item) : undefined;
    if (isReasoning(item) && sealOf(item) === undefined) return undefined;
    // Nobody was asked: the response was cut before it had come.
    if (item.type === 'mcp_approval_request') return undefined;
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
  const earlier = items.slice(0, before);
  const isPassedOver = (item: Item): boolean => {
    if (isReasoning(item)) return seals.has(sealOf(item));
    // What was cut inside its arguments may have been pushed all the same.
    if (isCall(item)) return !isWanted(item) && reply.some((own) => isSameCall(own, item, idsOf));
    // The answer to a call of another reply may have been pushed between the calls of this one, and stays there.
    if (isOutput(item)) return !idsOf(item).some((id) => outputs.has(outputOf(typeOf(item), id)));
    return !isReply(item) && isProduced(item) && ids.has(textIn(field(item, 'id')));
  };
  for (const from of places) {
    const end = matchedEnd(earlier, core, from, isPassedOver, idsOf);
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
  idsOf: IdsOf,
): number | undefined {
  let at = from;
  for (const [i, part] of core.entries()) {
    while (i > 0 && items[at] !== undefined && isPassedOver(items[at] as Item)) at += 1;
    const item = items[at];
    if (item === undefined || !isSameItem(item, part, idsOf)) return undefined;
    at += 1;
  }
  return at;
}

/** Where a reply ends with the calls below it that were cut inside their arguments, if they were pushed all the same. */
export function endWithHalves(items: readonly Item[], { reply, kept }: Cut, end: number, idsOf: IdsOf): number {
  const whole = new Set(kept.filter(isCall).flatMap(formsOfCall));
  const isHalf = (item: Item): boolean =>
    !idsOf(item).some((id) => whole.has(id)) && reply.some((own) => isSameCall(own, item, idsOf));
  let at = end;
  while (items[at] !== undefined && isCall(items[at] as Item) && isHalf(items[at] as Item)) at += 1;
  return at;
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
