/**
 * How much of a transcript the server has already, and from which response it can go on.
 * Apart from settling: it decides what may still be changed, not what has to be.
 *
 * @module
 */
import type { HeldResponse, HeldState, Submission } from '../../held-conversation.ts';
import { field, textIn, without } from '../../reading/fields.ts';
import {
  callIdOf,
  isCall,
  isOutput,
  isPrompt,
  isBareReasoning,
  isReasoning,
  isReply,
  textsOf,
  type OpenAIResponsesItem,
} from '../item.ts';

/** What is held, told apart from what has to be sent. */
export interface HeldPart {
  /** How many of the items the server holds. */
  readonly count: number;
  /** The way on, without what to send there. */
  readonly target: Omit<Submission<OpenAIResponsesItem>, 'input'>;
}

/** The statuses of a response that the server has kept; others were cut before it had anything to keep. */
const keptStatuses: ReadonlySet<unknown> = new Set([undefined, null, 'completed', 'incomplete']);

/**
 * Finds the last response that can be gone on from: the server has it. A conversation cannot be taken back: if its last
 * response is not such a one, the way on branches off before it.
 */
export function findHeldPart(items: readonly OpenAIResponsesItem[], held: HeldState): HeldPart {
  const { responses, conversation } = held;
  const last = lastHeld(responses);
  const isClean = last === responses.at(-1);
  if (conversation !== undefined && isClean) {
    // A request is added to a conversation once its response has completed: of none that is known, what the model followed.
    const count = last === undefined ? items.map(isPrompt).lastIndexOf(false) + 1 : countHeld(items, last);
    return { count, target: { conversation } };
  }
  if (last === undefined) return { count: 0, target: {} };
  const limit = isClean ? items.length : placeOfLater(items, responses.slice(responses.indexOf(last) + 1));
  return { count: Math.min(limit, countHeld(items, last)), target: { previous_response_id: last.id } };
}

function isKept({ status }: Pick<HeldResponse, 'status'>): boolean {
  return keptStatuses.has(status);
}

/** The last response that the server has. */
function lastHeld(responses: HeldState['responses']): HeldResponse | undefined {
  return [...responses].reverse().find(isKept);
}

/** The items of the transcript, with what the server has of them and the transcript has not. */
interface HeldItems {
  readonly items: readonly OpenAIResponsesItem[];
  /** Those that are only the server's and that nothing answers; they are no part of what comes back. */
  readonly borrowed: ReadonlySet<OpenAIResponsesItem>;
}

/**
 * Puts the output of the response that is gone on from into a transcript that does not have it: its calls are what the
 * next request has to answer. One whose calls are open is the newest thing there is: it goes before the first item that can
 * only have come after it, an output of one of its calls or what a later response said, and else to the end. Behind any
 * other there may be a prompt, which is sent again rather than lost: it goes behind what the responses before it said and
 * what it was asked, or to the front.
 */
export function withHeldOutput(items: readonly OpenAIResponsesItem[], held: HeldState): HeldItems {
  const { responses } = held;
  const last = lastHeld(responses);
  const output = outputOf(last);
  if (output.length === 0 || output.some(isAmong(items))) return { items, borrowed: new Set() };
  const at = responses.indexOf(last as HeldResponse);
  const place = asksFor(output)
    ? placeOfAnswers(items, output, responses.slice(at + 1))
    : countKnown(items, responses.slice(0, at).filter(isKept));
  const borrowed = new Set(output.filter((item) => !isCall(item) && item.type !== 'mcp_approval_request'));
  return { items: [...items.slice(0, place), ...output, ...items.slice(place)], borrowed };
}

/** How many items there are up to the last one that these responses said, and with what the next one was asked. */
function countKnown(items: readonly OpenAIResponsesItem[], responses: readonly HeldResponse[]): number {
  const isKnown = isAmong(responses.flatMap(outputOf));
  let count = items.reduce((known, item, at) => (isKnown(item) ? at + 1 : known), 0);
  if (count === 0) return 0;
  for (let item = items[count]; item !== undefined && isOutput(item); item = items[count]) count += 1;
  const next = items[count];
  return next !== undefined && isPrompt(next) ? count + 1 : count;
}

/** Whether a response waits for an answer. */
function asksFor(output: readonly OpenAIResponsesItem[]): boolean {
  const answered = new Set(output.filter(isOutput).map(callIdOf));
  return output.some((item) => (isCall(item) ? !answered.has(callIdOf(item)) : item.type === 'mcp_approval_request'));
}

function placeOfAnswers(
  items: readonly OpenAIResponsesItem[],
  output: readonly OpenAIResponsesItem[],
  later: readonly HeldResponse[],
): number {
  const calls = new Set(output.filter(isCall).map(callIdOf));
  const isLater = isAmong(later.flatMap(outputOf));
  const first = items.findIndex((item) => (isOutput(item) && calls.has(callIdOf(item))) || isLater(item));
  return first === -1 ? items.length : first;
}

/** Where what came after a response begins, the prompt that led to it included: of that the response knows nothing. */
function placeOfLater(items: readonly OpenAIResponsesItem[], later: readonly HeldResponse[]): number {
  let place = items.findIndex(isAmong(later.flatMap(outputOf)));
  if (place === -1) return items.length;
  while (place > 0 && isPrompt(items[place - 1] as OpenAIResponsesItem)) place -= 1;
  return place;
}

function outputOf(response: HeldResponse | undefined): readonly OpenAIResponsesItem[] {
  return response?.output ?? [];
}

/** Tells whether an item is one of a list: by itself, by an id, or by its words where one of the two has no id. */
export function isAmong(items: readonly OpenAIResponsesItem[]): (item: OpenAIResponsesItem) => boolean {
  const known = new Set<unknown>();
  for (const item of items) for (const key of keysOf(item)) known.add(key);
  return (item) => {
    const id = textIn(field(item, 'id'));
    const words = isReply(item) ? [wordsOf(item, 'bare'), id === undefined ? wordsOf(item, 'named') : undefined] : [];
    return [...keysOf(item).slice(0, 3), ...words].some((key) => key !== undefined && known.has(key));
  };

  function keysOf(item: OpenAIResponsesItem): unknown[] {
    const id = textIn(field(item, 'id'));
    const words = isReply(item) ? wordsOf(item, id === undefined ? 'bare' : 'named') : undefined;
    return [item, id, callKeyOf(item), words];
  }
}

function wordsOf(item: OpenAIResponsesItem, form: 'bare' | 'named'): string {
  return `${form} ${textsOf(item).join('\n')}`;
}

/** Whether two messages of the model say the same, and no ids say that they are two. */
function isSameReply(one: OpenAIResponsesItem, other: OpenAIResponsesItem): boolean {
  if (!isReply(one) || !isReply(other)) return false;
  const isNamed = [one, other].every((item) => textIn(field(item, 'id')) !== undefined);
  return !isNamed && wordsOf(one, 'bare') === wordsOf(other, 'bare');
}

/** What a call is known by where neither it nor its id is there. */
function callKeyOf(item: OpenAIResponsesItem): string | undefined {
  const id = isCall(item) ? callIdOf(item) : undefined;
  return id === undefined ? undefined : `${String(item.type)} ${id}`;
}

/**
 * Takes the reasoning of responses that the server has not kept out of a transcript, unless it carries itself along: it
 * can be found nowhere. What it had led to loses its id, which nobody takes without it.
 */
export function withoutLostReasoning(
  items: readonly OpenAIResponsesItem[],
  { responses }: HeldState,
): readonly OpenAIResponsesItem[] {
  const lost = new Set<unknown>();
  for (const response of responses) {
    if (isKept(response)) continue;
    for (const item of response.output ?? []) lost.add(textIn(field(item, 'id')) ?? item);
  }
  const isLost = (item: OpenAIResponsesItem): boolean => lost.has(textIn(field(item, 'id')) ?? item);
  if (lost.size === 0 || !items.some((item) => isLost(item) && isBareReasoning(item))) return items;
  return items.flatMap((item): OpenAIResponsesItem[] => {
    if (!isLost(item) || isReasoning(item) !== isBareReasoning(item)) return [item];
    if (isBareReasoning(item)) return [];
    return [without(item, 'id')];
  });
}

/**
 * Everything up to and with the response's last item; all there is if nobody can tell. A call is known by its `call_id`
 * only where neither it nor its id is there: a cut reply that was added below may hold a copy of it.
 */
function countHeld(items: readonly OpenAIResponsesItem[], response: HeldResponse | undefined): number {
  const last = outputOf(response).at(-1);
  if (last === undefined) return items.length;
  const id = textIn(field(last, 'id'));
  const isHeld: readonly ((item: OpenAIResponsesItem) => boolean)[] = [
    (item) => item === last,
    (item) => id !== undefined && field(item, 'id') === id,
    (item) => isSameCall(item, last),
    (item) => isSameReply(item, last),
  ];
  for (const isIt of isHeld) {
    for (let at = items.length - 1; at >= 0; at -= 1) if (isIt(items[at] as OpenAIResponsesItem)) return at + 1;
  }
  return items.length;
}

function isSameCall(item: object, other: object): boolean {
  const id = textIn(field(item, 'call_id'));
  return id !== undefined && id === field(other, 'call_id') && field(item, 'type') === field(other, 'type');
}
