/**
 * One cut reply by itself: its items, and what of them can go back.
 * Apart from laying replies, which weighs several of them against each other.
 *
 * @module
 */
import type { IdPolicy } from '../dialect.ts';
import type { PartialOutput } from '../from-core.ts';
import { field, isRecord, recordsIn, textIn } from '../reading/fields.ts';
import type { IdRule } from '../reading/ids.ts';
import { withIds } from './ids.ts';
import {
  callIdOf,
  hasWholeArguments,
  isAnswerable,
  isBareReasoning,
  isCall,
  isOutput,
  isProduced,
  isPrompt,
  isReasoning,
  isRemote,
  isReply,
  nameOf,
  sayText,
  textsOf,
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
    if (isBareReasoning(item)) return undefined;
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
export function isSendable(call: Item): boolean {
  return callIdOf(call) !== undefined && nameOf(call) !== undefined && hasWholeArguments(call) && isAnswerable(call);
}

function withoutId(item: Item): Item {
  const { id: _id, parsed_arguments: _parsed, ...rest } = item as Item & Readonly<Record<string, unknown>>;
  return rest;
}

/** The seal of reasoning, by which it is known. */
export function sealOf(item: Item): string | undefined {
  return isReasoning(item) ? textIn(field(item, 'encrypted_content')) : undefined;
}

/** All texts of a message, one per line, without the white space at their ends. */
export function proseOf(item: Item): string {
  return textsOf(item)
    .map((text) => text.trimEnd())
    .filter((text) => text !== '')
    .join('\n');
}
