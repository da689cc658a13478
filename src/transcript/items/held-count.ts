/**
 * How much of a transcript the server has already, and from which response it can go on.
 * Apart from settling: it decides what may still be changed, not what has to be.
 *
 * @module
 */
import type { HeldResponse, HeldState, Submission } from '../held-conversation.ts';
import { field, textIn } from '../reading/fields.ts';
import type { Note } from '../dialects/rules.ts';
import { callIdOf, isAnswerable, isCall, isOutput, isReasoning, type OpenAIResponsesItem } from './item.ts';

/** What is held, told apart from what has to be sent. */
export interface HeldPart {
  /** How many of the items the server holds. */
  readonly count: number;
  /** The way on, without what to send there. */
  readonly target: Omit<Submission<OpenAIResponsesItem>, 'input'>;
}

/** The statuses of a response that the server has kept; others were cut before it had anything to keep. */
const keptStatuses: ReadonlySet<unknown> = new Set([undefined, 'completed', 'incomplete']);

/**
 * Finds the last response that can be gone on from: the server has it, and words can answer what it asks for. A
 * conversation cannot be taken back: if its last response is not such a one, the way on branches off before it.
 */
export function findHeldPart(items: readonly OpenAIResponsesItem[], held: HeldState): HeldPart {
  const { responses, conversation } = held;
  const answered = new Set(items.filter(isOutput).map(callIdOf));
  const last = [...responses].reverse().find((one) => isKept(one) && canBeAnswered(one, answered));
  const isClean = last === responses.at(-1);
  if (conversation !== undefined && isClean) {
    return { count: countHeld(items, last), target: { conversation } };
  }
  if (last === undefined) return { count: 0, target: {} };
  return { count: countHeld(items, last), target: { previous_response_id: last.id } };
}

function isKept({ status }: HeldResponse): boolean {
  return keptStatuses.has(status);
}

function canBeAnswered({ output = [] }: HeldResponse, answered: ReadonlySet<string | undefined>): boolean {
  return output.every((item) => !isCall(item) || isAnswerable(item) || answered.has(callIdOf(item)));
}

/** The items of the transcript, with what the server has of them and the transcript has not. */
export interface HeldItems {
  readonly items: readonly OpenAIResponsesItem[];
  /** Those that are only the server's; they are no part of what comes back. */
  readonly borrowed: ReadonlySet<OpenAIResponsesItem>;
}

/**
 * Puts the output of the response that is gone on from into a transcript that does not have it: its calls are what the
 * next request has to answer. It goes before the first item that can only have come after it, an output of one of its
 * calls, and else to the end.
 */
export function withHeldOutput(items: readonly OpenAIResponsesItem[], held: HeldState): HeldItems {
  const answered = new Set(items.filter(isOutput).map(callIdOf));
  const last = [...held.responses].reverse().find((one) => isKept(one) && canBeAnswered(one, answered));
  const output = (last?.output ?? []) as readonly OpenAIResponsesItem[];
  const known = new Set<unknown>(items.flatMap((item) => [item, textIn(field(item, 'id')), callKeyOf(item)]));
  const isThere = (one: OpenAIResponsesItem): boolean =>
    [one, textIn(field(one, 'id')), callKeyOf(one)].some((key) => key !== undefined && known.has(key));
  if (output.length === 0 || output.some(isThere)) return { items, borrowed: new Set() };
  const calls = new Set(output.filter(isCall).map(callIdOf));
  const first = items.findIndex((item) => isOutput(item) && calls.has(callIdOf(item)));
  const place = first === -1 ? items.length : first;
  return { items: [...items.slice(0, place), ...output, ...items.slice(place)], borrowed: new Set(output) };
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
  note: Note,
): readonly OpenAIResponsesItem[] {
  const lost = new Set<unknown>();
  for (const response of responses) {
    if (isKept(response)) continue;
    for (const item of response.output ?? []) lost.add(textIn(field(item, 'id')) ?? item);
  }
  const isLost = (item: OpenAIResponsesItem): boolean => lost.has(textIn(field(item, 'id')) ?? item);
  const isBare = (item: OpenAIResponsesItem): boolean =>
    isReasoning(item) && textIn(field(item, 'encrypted_content')) === undefined;
  if (lost.size === 0 || !items.some((item) => isLost(item) && isBare(item))) return items;
  return items.flatMap((item, at): OpenAIResponsesItem[] => {
    if (!isLost(item) || isReasoning(item) !== isBare(item)) return [item];
    if (isBare(item)) {
      note(at, 'item-stored', 'removed reasoning of a response that the server has not kept');
      return [];
    }
    const { id: _id, ...rest } = item as OpenAIResponsesItem & { readonly id?: unknown };
    note(at, 'item-stored', 'removed the id of an item that the server has not kept');
    return [rest];
  });
}

/**
 * Everything up to and with the response's last item; all there is if nobody can tell. A call is known by its `call_id`
 * only where neither it nor its id is there: a cut reply that was added below may hold a copy of it.
 */
function countHeld(items: readonly OpenAIResponsesItem[], response: HeldResponse | undefined): number {
  const last = response?.output?.at(-1);
  if (last === undefined) return items.length;
  const id = textIn(field(last, 'id'));
  const isHeld: readonly ((item: object) => boolean)[] = [
    (item) => item === last,
    (item) => id !== undefined && field(item, 'id') === id,
    (item) => isSameCall(item, last),
  ];
  for (const isIt of isHeld) {
    for (let at = items.length - 1; at >= 0; at -= 1) if (isIt(items[at] as object)) return at + 1;
  }
  return items.length;
}

function isSameCall(item: object, other: object): boolean {
  const id = textIn(field(item, 'call_id'));
  return id !== undefined && id === field(other, 'call_id') && field(item, 'type') === field(other, 'type');
}
