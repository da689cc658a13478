/**
 * Reads a transcript of items into slots: what may stay, which call each output belongs to, and what the server holds.
 * The first half of settling; everything illegal in itself, without its neighbours, ends here.
 *
 * @module
 */
import { field, textIn } from '../reading/fields.ts';
import { createLinks, type Site } from '../reading/links.ts';
import type { Settled } from '../reading/settle-entries.ts';
import type { Note } from '../dialects/rules.ts';
import {
  callIdOf,
  isCall,
  isOutput,
  isProduced,
  isReasoning,
  isReference,
  isReply,
  nameOf,
  textsOf,
  typeOf,
  type OpenAIResponsesItem,
} from './item.ts';
import type { Reply } from './replies.ts';

/** One item on its way to a legal one. */
export interface Slot {
  /** Its index in the input. */
  readonly at: number;
  /** What it becomes; `undefined` if it does not stay. */
  item: OpenAIResponsesItem | undefined;
  /** What it stands together with. */
  readonly reply: Reply;
  /** Its links, if it is a call. */
  readonly site: Site<Slot> | undefined;
  /** The call it answers, if it is an output. */
  readonly answers: Site<Slot> | undefined;
  /** Whether the server holds it: then nobody can change it. */
  readonly isHeld: boolean;
}

/**
 * Takes a transcript apart, front to back, once.
 *
 * @param heldCount How many of the items the server holds.
 * @param note Takes indices of the input.
 */
export function readSlots(replies: readonly Reply[], heldCount: number, note: Note): readonly Slot[] {
  const links = createLinks<Slot>();
  const ids = new Map<string, OpenAIResponsesItem>();
  const slots: Slot[] = [];
  let here = new Set<string>();
  /** How many calls may stand behind references to what the server has. */
  let behind = 0;
  for (const reply of replies) {
    if (here.size > 0) here = new Set();
    reply.items.forEach((item, i) => {
      const at = reply.at + i;
      const isHeld = at < heldCount;
      const unique = uniqueItem(item, ids, at, isHeld ? () => undefined : note);
      const slot: { -readonly [K in keyof Slot]: Slot[K] } = {
        at,
        item: isHeld ? item : unique,
        reply,
        site: undefined,
        answers: undefined,
        isHeld,
      };
      slots.push(slot);
      if (slot.item === undefined) return;
      const breach = breachOf(item, here);
      const callId = callIdOf(item);
      if (isReference(item)) behind += 1;
      if (breach !== undefined) drop(slot, note, ...breach);
      else if (isCall(item)) slot.site = links.open(slots.length - 1, callId as string, nameOf(item) as string, item);
      if (!isOutput(item)) return;
      slot.answers = links.close(at, callId, slot);
      if (slot.answers === undefined && behind > 0 && callId !== undefined) {
        behind -= 1;
        links.open(slots.length - 1, callId, '', item);
        slot.answers = links.close(at, callId, slot);
      } else if (slot.answers === undefined) {
        drop(slot, note, 'result-has-call', `removed a result whose call is not in the transcript: ${String(callId)}`);
      }
    });
  }
  return slots;
}

/** Takes an item out, unless the server holds it. */
function drop(slot: Slot, note: Note, rule: string, what: string): void {
  if (slot.isHeld) return;
  note(slot.at, rule, what);
  slot.item = undefined;
}

/** What makes an item illegal by itself, or beside the calls of its own reply, which it joins if it is one. */
function breachOf(item: OpenAIResponsesItem, here: Set<string>): [rule: string, what: string] | undefined {
  if (isReply(item) && textsOf(item).every((text) => text === '')) {
    return ['message-not-empty', 'removed a message that holds nothing'];
  }
  if (!isCall(item)) return undefined;
  const id = callIdOf(item);
  if (id === undefined || nameOf(item) === undefined) return ['call-id', 'removed a call without an id or a name'];
  if (here.has(id)) return ['call-id', `removed the second copy of a call: ${id}`];
  here.add(id);
  return undefined;
}

/** An item whose own id nothing before it has; the same object where it need not change. */
function uniqueItem(
  item: OpenAIResponsesItem,
  ids: Map<string, OpenAIResponsesItem>,
  at: number,
  note: Note,
): OpenAIResponsesItem | undefined {
  const id = item.type === 'local_shell_call_output' ? undefined : textIn(field(item, 'id'));
  if (id === undefined) return item;
  const before = ids.get(id);
  if (before === undefined) {
    ids.set(id, item);
    return item;
  }
  const isCopy = before === item || JSON.stringify(before) === JSON.stringify(item);
  if (!isCopy && (isReply(item) || isCall(item) || isOutput(item))) {
    note(at, 'item-id', `removed the id of a second item ${id}`);
    return withoutId(item);
  }
  note(at, 'item-id', `removed the second copy of the ${typeOf(item)} ${id}`);
  return undefined;
}

/**
 * The same items; an output of a local shell whose id is another item's goes by its call alone: it is often that of the call,
 * and servers give those again.
 *
 * @param held How many of them stay as they are, for the server has them.
 */
export function withoutSharedIds(
  settled: readonly Settled<OpenAIResponsesItem>[],
  held: number,
  note: Note,
): readonly Settled<OpenAIResponsesItem>[] {
  const ids = new Set<string>();
  return settled.map((one, at) => {
    const id = textIn(field(one.message, 'id'));
    if (id === undefined || one.message.type === 'item_reference') return one;
    if (one.message.type !== 'local_shell_call_output' || !ids.has(id) || at < held) {
      ids.add(id);
      return one;
    }
    note(one.from, 'item-id', `removed the id of a second item ${id}`);
    const named: OpenAIResponsesItem & Readonly<Record<string, unknown>> = {
      ...withoutId(one.message),
      call_id: callIdOf(one.message),
    };
    return { message: named, from: one.from };
  });
}

function withoutId(item: OpenAIResponsesItem): OpenAIResponsesItem {
  const { id: _id, ...rest } = item as OpenAIResponsesItem & { readonly id?: unknown };
  return rest;
}

/** Takes out the reasoning that has lost what it led to, from the last to the first: one may have led to another. */
export function dropLonelyReasoning(
  slots: readonly Slot[],
  isOpenQuestion: (item: OpenAIResponsesItem | undefined) => boolean,
  note: Note,
): void {
  // Behind these their answers are put, before anything else.
  const isUnanswered = ({ site, item }: Slot): boolean => site?.results.length === 0 || isOpenQuestion(item);
  const waiting = new Set(slots.filter(isUnanswered).map(({ reply }) => reply));
  let next: Slot | undefined;
  for (const slot of [...slots].reverse()) {
    // The result is judged: what was removed in between is not there.
    if (slot.item === undefined) continue;
    const isNear = next !== undefined && (next.reply === slot.reply || !waiting.has(slot.reply));
    const leads = isNear && next?.item !== undefined && isProduced(next.item);
    if (isReasoning(slot.item) && !leads && !slot.isHeld) {
      note(slot.at, 'reasoning-followed', 'removed reasoning without what it led to');
      slot.item = undefined;
      continue;
    }
    next = slot;
  }
}
