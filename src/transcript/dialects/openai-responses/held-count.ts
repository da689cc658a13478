/**
 * How much of a transcript the server has already, and from which response it can go on.
 * Apart from settling: it decides what may still be changed, not what has to be.
 *
 * @module
 */
import type { HeldResponse, HeldState, Submission } from '../../held.ts';
import { field, textIn } from '../../fields.ts';
import { callIdOf, isAnswerable, isCall, isOutput, type OpenAIResponsesItem } from './item.ts';

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
