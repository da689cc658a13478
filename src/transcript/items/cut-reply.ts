/**
 * One cut reply: its items, and what of them can go back.
 *
 * @module
 */
import { field, isRecord, recordsIn, without } from '../reading/fields.ts';
import {
  callIdOf,
  hasWholeArguments,
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

/**
 * A value as items: a text, an item, a list of items, a response, or what a fold of a stream carries as its
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
 * What of a cut reply can go back: no call that was cut inside its arguments, and no reasoning without
 * what it led to. The server has not kept the response: nothing may be found by its id, and reasoning
 * that does not carry itself along is gone.
 */
export function replayable(given: readonly Item[]): readonly Item[] {
  const reply = producedIn(given);
  const kept = reply.map((item): Item | undefined => {
    if (isReply(item)) return textsOf(item).every((text) => text.trimEnd() === '') ? undefined : without(item, 'id');
    if (isCall(item)) return isSendable(item) ? without(item, 'id') : undefined;
    // Nobody was asked: the response was cut before it had come.
    return isBareReasoning(item) || item.type === 'mcp_approval_request' ? undefined : item;
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
  return callIdOf(call) !== undefined && nameOf(call) !== undefined && hasWholeArguments(call);
}
