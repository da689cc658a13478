/**
 * Which cut replies of a turn are already in the transcript, and which are still to be added.
 * Beside the dialects because the question is the same for all; each says only how to read one of its messages.
 *
 * @module
 */
import type { CancelReason } from '../core/foundation/reason.ts';
import type { PartialOutput } from '../core/interrupt/outcomes.ts';
import { isDerivedId } from './links.ts';

/** What identifies a reply, whatever a repair or a mark did to it since. */
export interface ReplyParts {
  /** All its texts, one per line, without the white space at their ends. */
  readonly prose: string;
  /** The ids of its calls, half-streamed ones included. */
  readonly calls: readonly string[];
  /** The ids of its calls whose arguments are whole. */
  readonly wholeCalls: readonly string[];
  /** What else cannot be mistaken for another's: the seals of its reasoning, the ids of what the provider ran for it. */
  readonly seals: readonly string[];
}

/** How one dialect reads its messages. */
export interface ReplyReader<M> {
  /** The parts of an assistant message; `undefined` for every other message. */
  readonly parts: (message: M) => ReplyParts | undefined;
  /** Whether somebody outside the turn wrote this message, rather than the model or its tools. */
  readonly isPrompt: (message: M) => boolean;
  /** Whether a message holds this reply, where one message can hold several; by default its parts are compared. */
  readonly holds?: (message: M, reply: M) => boolean;
  /** A partial value as an assistant message of the dialect, if it is one. */
  readonly fromPartial: (value: unknown) => M | undefined;
}

/** A message of the transcript to be: one of the input, or a cut reply that was missing. */
export interface Entry<M> {
  readonly message: M;
  /** Its index in the input; for a reply that was missing, the index before which it goes. */
  readonly at: number;
  /** The number of the model call whose reply this is, if it was missing. */
  readonly added: number | undefined;
  /** Why this reply was cut, if it was. */
  readonly cutBy: CancelReason | undefined;
}

/** A message of a transcript that is settled, and the index of the message in the input that it begins with. */
export interface Settled<M> {
  readonly message: M;
  readonly from: number;
}

/** The entries of a transcript to which nothing is added. */
export function bareEntries<M>(messages: readonly M[]): Entry<M>[] {
  return messages.map((message, at) => ({ message, at, added: undefined, cutBy: undefined }));
}

/**
 * Lays the cut replies of a turn beside its transcript, each where it belongs: before the next one that is there
 * already, else at the end.
 *
 * A reply counts as present if a message begins with its text, holds the same signed reasoning and no other calls. One
 * that a message of the user cut was handed to the caller, who may have pushed it anywhere; any other was thrown away by
 * the cut, so only what follows the last prompt is compared: the same words in an older turn are another reply.
 *
 * Replies are looked for in the transcript as it is once it is settled by itself. Settling again begins with just that,
 * so it finds the same ones, whatever the repair took from a message or put into it.
 *
 * @param alone The same messages, settled without any partial.
 */
export function withPartials<M>(
  messages: readonly M[],
  alone: readonly Settled<M>[],
  partials: readonly PartialOutput[],
  reader: ReplyReader<M>,
): Entry<M>[] {
  const settled = alone.map(({ message }) => message);
  const placeOf = (at: number): number => alone[at]?.from ?? messages.length;
  const cuts = new Map<number, CancelReason>();
  const missing: Entry<M>[] = [];
  let before = settled.length;
  let end = before;
  let lastPrompt = partials.length === 0 ? -1 : findLastPrompt(settled, before, reader);
  for (const partial of [...partials].reverse()) {
    const message = messageOf(partial.value, reader);
    const reply = message === undefined ? undefined : reader.parts(message);
    if (message === undefined || reply === undefined || saysNothing(reply)) continue;
    const floor = partial.reason.kind === 'interjection' ? 0 : lastPrompt + 1;
    const found = findReply(settled, message, reply, floor, end, reader);
    if (found === -1) {
      missing.push({ message, at: placeOf(before), added: partial.modelCall, cutBy: partial.reason });
    } else {
      cuts.set(placeOf(found), partial.reason);
      // Replies keep their order, so an earlier one stands further up.
      before = found;
      end = reader.holds === undefined ? found : found + 1;
      lastPrompt = findLastPrompt(settled, before, reader);
    }
  }
  return merge(messages, cuts, missing.reverse());
}

/** The message itself, or the one that a reply of a stream's fold carries beside its usage and stop reason. */
function messageOf<M>(value: unknown, reader: ReplyReader<M>): M | undefined {
  const message = reader.fromPartial(value);
  if (message !== undefined || typeof value !== 'object' || value === null) return message;
  return reader.fromPartial((value as { readonly message?: unknown }).message);
}

/** Both lists are in the order of their places. */
function merge<M>(
  messages: readonly M[],
  cuts: ReadonlyMap<number, CancelReason>,
  missing: readonly Entry<M>[],
): Entry<M>[] {
  const entries: Entry<M>[] = [];
  let next = 0;
  for (let at = 0; at <= messages.length; at += 1) {
    for (let one = missing[next]; one?.at === at; one = missing[next]) {
      entries.push(one);
      next += 1;
    }
    if (at < messages.length) {
      entries.push({ message: messages[at] as M, at, added: undefined, cutBy: cuts.get(at) });
    }
  }
  return entries;
}

function findLastPrompt<M>(messages: readonly M[], before: number, reader: ReplyReader<M>): number {
  let at = before - 1;
  while (at >= 0 && !reader.isPrompt(messages[at] as M)) at -= 1;
  return at;
}

function findReply<M>(
  messages: readonly M[],
  given: M,
  reply: ReplyParts,
  floor: number,
  before: number,
  reader: ReplyReader<M>,
): number {
  for (let at = before - 1; at >= floor; at -= 1) {
    const message = messages[at] as M;
    const found = reader.parts(message);
    if (found === undefined) continue;
    if (reader.holds === undefined ? holds(found, reply) : reader.holds(message, given)) return at;
  }
  return -1;
}

/** Whether nothing of a reply can be sent: a call that was cut inside its arguments never ran. */
function saysNothing(reply: ReplyParts): boolean {
  return reply.prose === '' && reply.wholeCalls.length === 0 && reply.seals.length === 0;
}

/** Whether a message is this reply, perhaps repaired, and perhaps with a mark of somebody's below its text. */
function holds(message: ReplyParts, reply: ReplyParts): boolean {
  const known = (id: string): boolean => reply.calls.some((own) => isDerivedId(id, own));
  const kept = (id: string): boolean => message.wholeCalls.some((own) => isDerivedId(own, id));
  if (!message.calls.every(known) || !reply.wholeCalls.every(kept)) return false;
  if (message.seals.length !== reply.seals.length) return false;
  if (!message.seals.every((seal, i) => seal === reply.seals[i])) return false;
  return reply.prose === '' || message.prose === reply.prose || message.prose.startsWith(`${reply.prose}\n`);
}
